import { createTimeOffCategory } from '#time-off/category/time-off-category.api.js';
import type { TimeOffCategoryInput } from '#time-off/category/time-off-category.rules.js';
import { randomUUID } from 'node:crypto';
import { testContext } from '../command-services.js';
import { type ApiAnswer, dataOf, type SendOptions } from './http-client.js';
import { PeopleActions } from './people.js';
import type { TimeOff } from './shapes.js';
import type { TestApi, TestOrganisation } from './test-api.js';

export type Step = 'approve' | 'reject' | 'cancel';

/** Actions on the time off of an organisation. */
export class TimeOffActions {
  readonly people: PeopleActions;

  constructor(
    private readonly api: TestApi,
    readonly organisation: TestOrganisation,
  ) {
    this.people = new PeopleActions(organisation);
  }

  /** Creates a category with a unique label and returns its id. */
  async category(requested: Partial<TimeOffCategoryInput> = {}): Promise<string> {
    const { services } = this.api;
    return (
      await createTimeOffCategory(services, testContext(this.organisation.row.id), {
        label: `Leave ${randomUUID()}`,
        ...requested,
      })
    ).id;
  }

  /**
   * Creates a person who works from Monday to Friday, 240 minutes in the morning and 210 in the afternoon.
   */
  async person(body: object = {}): Promise<string> {
    const { working_pattern_id } = this.organisation.references;
    return (await this.people.create({ start_date: '2024-01-01', working_pattern_id, ...body })).id;
  }

  post(body: object, options?: SendOptions): Promise<ApiAnswer<TimeOff>> {
    return this.organisation.client.post<TimeOff>('/time-off', body, options);
  }

  patch(id: string, body: object, options?: SendOptions): Promise<ApiAnswer<TimeOff>> {
    return this.organisation.client.patch<TimeOff>(`/time-off/${id}`, body, options);
  }

  step(id: string, step: Step, options?: SendOptions): Promise<ApiAnswer<TimeOff>> {
    return this.organisation.client.send<TimeOff>('POST', `/time-off/${id}/${step}`, options);
  }

  get(id: string): Promise<ApiAnswer<TimeOff>> {
    return this.organisation.client.get<TimeOff>(`/time-off/${id}`);
  }

  list(query: Readonly<Record<string, string | number>> = {}): Promise<readonly TimeOff[]> {
    return this.people.all<TimeOff>('/time-off', query);
  }

  /** Creates a record; must succeed. */
  async create(body: object): Promise<TimeOff> {
    return dataOf(201, await this.post(body));
  }

  async read(id: string): Promise<TimeOff> {
    return dataOf(200, await this.get(id));
  }

  async do(id: string, step: Step): Promise<TimeOff> {
    return dataOf(200, await this.step(id, step));
  }

  /** Returns the types of the events of a person's calendar, oldest first. */
  async eventsOf(personId: string): Promise<readonly string[]> {
    const stream = await this.api.services.store.readStream(`time-off-${this.organisation.row.id}.${personId}`);
    return stream.map(({ type }) => type);
  }
}
