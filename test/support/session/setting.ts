import { rm } from 'node:fs/promises';
import { type DerivedSetting, idsInTables } from '../api/derived-requests.js';
import type { ApiClient } from '../api/http-client.js';
import { PeopleActions } from '../api/people.js';
import type { TestApi, TestOrganisation } from '../api/test-api.js';
import { temporaryDirectory } from '../test-server.js';
import { oneOf } from './chance.js';
import { InProcessProgram } from './in-process-program.js';

/** One step of a session: whether it was executed, and its answer. */
export interface Taken {
  readonly done: boolean;
  readonly answer: string;
}

/** Steps by their route or command. */
export type Steps = Readonly<Record<string, (setting: Setting) => Promise<Taken>>>;

/**
 * What a session works with. Existing resources are read from the read tables, so that every lane sees those
 * of all others.
 */
export class Setting implements DerivedSetting {
  readonly people: PeopleActions;

  private constructor(
    readonly api: TestApi,
    readonly organisation: TestOrganisation,
    readonly program: InProcessProgram,
    readonly directory: string,
  ) {
    this.people = new PeopleActions(organisation);
  }

  /** @param url where requests are sent; the API itself where not given */
  static async make(api: TestApi, url?: string): Promise<Setting> {
    const organisation = await api.organisation();
    const client = api.client(organisation.apiKey, url);
    return new Setting(
      api,
      { ...organisation, client },
      new InProcessProgram(api.database.url),
      await temporaryDirectory(),
    );
  }

  get client(): ApiClient {
    return this.organisation.client;
  }

  idsOf = (kind: string): Promise<readonly string[]> =>
    idsInTables(this.api.database.pool, this.organisation.row.id, kind);

  async end(): Promise<void> {
    this.program.stop();
    await rm(this.directory, { recursive: true, force: true });
  }

  /** Returns the rows of the organisation in a table that meet this SQL condition. */
  async rows<Row extends object>(table: string, condition = 'true'): Promise<readonly Row[]> {
    const { rows } = await this.api.database.pool.query<Row>(
      `select * from ${table} where organisation_id = $1 and ${condition}`,
      [this.organisation.row.id],
    );
    return rows;
  }

  /** Returns the id of one such row. Throws `NothingThereError`. */
  async any(table: string, condition?: string): Promise<string> {
    return oneOf(await this.rows<{ readonly id: string }>(table, condition)).id;
  }

  async anyOrNull(table: string, condition?: string): Promise<string | null> {
    const rows = await this.rows<{ readonly id: string }>(table, condition);
    return rows.length === 0 ? null : oneOf(rows).id;
  }

  /** Returns one of the people. Throws `NothingThereError`. */
  async person(condition = 'true'): Promise<{
    readonly person_id: string;
    readonly start_date: string | null;
    readonly end_date: string | null;
    readonly work_email: string;
  }> {
    const { rows } = await this.api.database.pool.query(
      `select person_id, start_date::text, end_date::text, work_email from people
        where organisation_id = $1 and identity_revision is not null and ${condition}`,
      [this.organisation.row.id],
    );
    return oneOf(rows);
  }
}
