import { createPool } from '#database/pool.js';
import { RejectedError } from '#kernel/rejection.js';
import type { CommandServices } from '#commands/services.js';
import { PeopleActions } from '../api/people.js';
import type { ApiAnswer, ApiClient } from '../api/http-client.js';
import { TestApi, type TestOrganisation } from '../api/test-api.js';
import { CustomFieldActions } from '../api/custom-fields.js';
import { TimeOffActions } from '../api/time-off.js';
import { testEventStore } from '../event-store.js';
import { Gate } from '../gate.js';

/** One process in a race: an API with a command line. */
export interface Racer {
  readonly client: ApiClient;
  readonly services: CommandServices;
}

/** Two processes over one database, and a setting that prepares what they race for. */
export class RacingSetting {
  readonly people: PeopleActions;
  readonly timeOff: TimeOffActions;
  readonly customFields: CustomFieldActions;

  private constructor(
    readonly api: TestApi,
    readonly organisation: TestOrganisation,
    readonly racers: readonly [Racer, Racer],
    readonly gate: Gate,
    private readonly releases: readonly (() => Promise<void>)[],
  ) {
    this.people = new PeopleActions(organisation);
    this.timeOff = new TimeOffActions(api, organisation);
    this.customFields = new CustomFieldActions(api, organisation);
  }

  static async make(): Promise<RacingSetting> {
    const gate = new Gate();
    const api = await TestApi.start({ wrapStore: (store) => gate.wrap(store) });
    const organisation = await api.organisation({ timeZone: 'UTC' });
    const clients = [organisation.client, api.client(organisation.apiKey, await api.startAnother())];
    const processes = clients.map((_, index) => {
      const pool = createPool(api.database.url, { applicationName: `racer ${index}`, maximum: 8 });
      const store = testEventStore(pool);
      const release = async (): Promise<void> => {
        await store.close();
        await pool.end();
      };
      return { services: { ...api.services, executor: pool, store: gate.wrap(store) }, release };
    });
    const racers = processes.map(({ services }, index): Racer => ({ client: clients[index]!, services }));
    return new RacingSetting(
      api,
      organisation,
      racers as unknown as readonly [Racer, Racer],
      gate,
      processes.map(({ release }) => release),
    );
  }

  get organisationId(): string {
    return this.organisation.row.id;
  }

  async end(): Promise<void> {
    for (const release of this.releases) await release();
    await this.api.stop();
  }

  /** Returns the stream of an aggregate of the organisation. */
  stream(category: string, id: string): string {
    return `${category}-${this.organisationId}.${id}`;
  }
}

/** Whether an answer is a success; false for a refusal because of state. Throws for anything else. */
export function isAccepted(answer: ApiAnswer): boolean {
  if (answer.status === 200 || answer.status === 201) return true;
  if ([400, 409, 412].includes(answer.status)) return false;
  throw new Error(`answered ${answer.status}: ${answer.text}`);
}

/** The same for a command; a failed import has problems. */
export async function wasAccepted(command: Promise<unknown>): Promise<boolean> {
  try {
    const result = await command;
    return !(
      typeof result === 'object' &&
      result !== null &&
      'problems' in result &&
      (result.problems as readonly unknown[]).length > 0
    );
  } catch (error) {
    if (error instanceof RejectedError && error.rejection.kind === 'conflict') return false;
    throw error;
  }
}
