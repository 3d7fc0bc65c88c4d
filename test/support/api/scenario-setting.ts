import { randomUUID } from 'node:crypto';
import { CustomFieldActions } from './custom-fields.js';
import { type DerivedSetting, idsInTables, type Request } from './derived-requests.js';
import type { ApiClient } from './http-client.js';
import { newEmail, PeopleActions } from './people.js';
import { proposeJob } from './proposals.js';
import type { TestApi, TestOrganisation } from './test-api.js';
import { TimeOffActions } from './time-off.js';
import { WebhookActions } from './webhooks.js';

/** A write that succeeds, and other requests that could reuse its idempotency key. */
export interface WriteScenario {
  readonly request: Request;
  /** Changes the resource after the write. */
  readonly moveOn?: () => Promise<unknown>;
  /**
   * Another request about the same resource: with another body, or another action where the write has no
   * body. Absent where there is neither.
   */
  readonly other?: Request;
  /** The same request about another resource; absent where the request names none. */
  readonly elsewhere?: Request;
}

/** What scenarios are made from. */
export class ScenarioSetting implements DerivedSetting {
  readonly people: PeopleActions;
  readonly timeOff: TimeOffActions;
  readonly webhooks: WebhookActions;
  readonly fields: CustomFieldActions;

  constructor(
    readonly api: TestApi,
    readonly organisation: TestOrganisation,
  ) {
    this.people = new PeopleActions(organisation);
    this.timeOff = new TimeOffActions(api, organisation);
    this.webhooks = new WebhookActions(organisation);
    this.fields = new CustomFieldActions(api, organisation);
  }

  get client(): ApiClient {
    return this.organisation.client;
  }

  unit = (): Promise<string> => this.client.make('/org-units', { name: randomUUID() });
  pattern = (): Promise<string> => this.client.make('/working-patterns', { ...PATTERN, label: randomUUID() });
  user = (): Promise<string> => this.client.make('/users', { email: newEmail(), role: 'viewer' });
  category = (): Promise<string> => this.client.make('/time-off/categories', { label: randomUUID() });

  idsOf = (kind: string): Promise<readonly string[]> =>
    idsInTables(this.api.database.pool, this.organisation.row.id, kind);
  readonly makers = {
    person: async (): Promise<string> => (await this.employed()).id,
    to_: (): Promise<string> => this.record(),
    working_pattern_: (): Promise<string> => this.pattern(),
    wpr_: (): Promise<string> => this.proposal(),
    key_: async (): Promise<string> => (await this.api.key(this.organisation.row)).keyId,
  };

  /**
   * Returns somebody employed since the day of the example of `POST /people`, with an entity tag of the
   * person and one of the employment.
   */
  async employed(): Promise<{ readonly id: string; readonly person: string; readonly employment: string }> {
    const { id } = await this.people.create({
      start_date: '2021-03-01',
      working_pattern_id: this.organisation.references.working_pattern_id,
    });
    return { id, person: await this.people.personTag(id), employment: await this.people.employmentTag(id) };
  }

  async record(personId?: string): Promise<string> {
    const requested = {
      person_id: personId ?? (await this.employed()).id,
      category_id: await this.timeOff.category(),
      ...AUGUST,
    };
    return (await this.timeOff.create(requested)).id;
  }

  /** Proposes a write with a key of its own, or with this one. */
  async proposal(apiKey?: string): Promise<string> {
    return proposeJob(this.api, this.organisation, (await this.employed()).id, apiKey);
  }

  async send(method: string, path: string, body?: object, ifMatch?: string): Promise<void> {
    const { status, text } = await this.client.send(method, path, { body, ifMatch });
    if (status >= 300) throw new Error(`${method} ${path}: ${text}`);
  }
}

/** A week of working days. */
export const AUGUST = { start_date: '2026-08-03', end_date: '2026-08-07' };
/** The required fields of a working pattern, except its label. */
export const PATTERN = {
  cycle_weeks: 1,
  anchor_date: '2024-01-01',
  days: [{ week: 1, weekday: 1, morning_minutes: 240, afternoon_minutes: 210 }],
};
