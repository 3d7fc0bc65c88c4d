import { randomUUID } from 'node:crypto';
import type { ApiConfiguration, RunningApi } from '#api/listener.js';
import { startApi, type WebhookOptions } from '#api/start-api.js';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { createPool, SERVER_SESSION } from '#database/pool.js';
import { generateApiKey } from '#identifiers/api-key.js';
import type { EventStore } from '#event-store/event-store.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import { IdMint } from '#identifiers/id-mint.js';
import type { WorkRequests } from '#jobs/requested-work.js';
import type { Clock } from '#kernel/clock.js';
import { SCOPES, type Scope } from '#kernel/scopes.js';
import { Projector } from '#projections/projector.js';
import type { CommandServices } from '#commands/services.js';
import { createOrganisation } from '#organisation/organisation/organisation.api.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { findOrCreateOrgUnits } from '#organisation/org-unit/org-unit.api.js';
import { PROJECTIONS } from '#composition/registry.js';
import { WORK_PLACES, WORK_TYPES } from '#organisation/dictionary/dictionary.api.js';
import { findOrCreateWorkingPattern } from '#organisation/working-pattern/working-pattern.api.js';
import { createApiKey } from '../access.js';
import { testContext } from '../command-services.js';
import { testEventStore } from '../event-store.js';
import { DEFAULT_CONFIGURATION } from '../http/default-configuration.js';
import { createTestDatabase, type TestDatabase } from '../postgres.js';
import { AnswerCheck, type OpenApiDocument } from './answer-check.js';
import { ApiClient } from './http-client.js';
import { testWebhooks } from './webhooks.js';
import { ensureSandboxOrganisation } from '../sandbox-organisation.js';

// With other suites on the same processors, starting a database and an API takes longer than Jest's default
// timeout.

/** Limits that no test reaches. */
export const UNLIMITED = 100_000_000;

const CONFIGURATION: ApiConfiguration = {
  ...DEFAULT_CONFIGURATION,
  rateLimitKey: UNLIMITED,
  rateLimitKeyWrites: UNLIMITED,
  rateLimitOrganisation: UNLIMITED,
  rateLimitWebhookKey: UNLIMITED,
  rateLimitWebhookOrganisation: UNLIMITED,
  rateLimitFailedAuth: UNLIMITED,
  rateLimitImports: UNLIMITED,
  rateLimitPublic: UNLIMITED,
};

/** The resources of an organisation that requests refer to by id. */
export interface TestReferences {
  readonly department_id: string;
  readonly other_department_id: string;
  readonly work_place_id: string;
  readonly work_type_id: string;
  readonly working_pattern_id: string;
}

/** An organisation with approved writes and a key of all scopes. */
export interface TestOrganisation {
  readonly row: OrganisationRow;
  readonly apiKey: string;
  readonly keyId: string;
  readonly client: ApiClient;
  readonly references: TestReferences;
}

/** The options that differ from the defaults. */
export interface TestApiOptions {
  /** Sets the current day. */
  readonly clock?: Clock;
  readonly webhooks?: WebhookOptions;
  /** Has workers begin with what a request leaves to them; where not given, it waits for their sweep. */
  readonly work?: WorkRequests;
  /** `on` where the log of requests is tested; off where not given, because the log grows by being read. */
  readonly requestLog?: 'on';
  /** A migrated database that this API drops at its end; a new one where not given. */
  readonly database?: TestDatabase;
  /** Replaces the event store of its instances, for example with one whose appends can be stopped. */
  readonly wrapStore?: (store: EventStore) => EventStore;
}

/** An API over a separate database. */
export class TestApi {
  private readonly clients: ApiClient[] = [];
  private readonly releases: (() => Promise<void>)[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly services: CommandServices,
    readonly url: string,
    readonly check: AnswerCheck,
    private readonly options: TestApiOptions,
  ) {}

  /**
   * Starts one instance for the tests of a spec file, and stops it after them. The result has its fields in
   * tests and hooks, not before.
   */
  static forSpec(options: TestApiOptions = {}): TestApi {
    const api = Object.create(TestApi.prototype) as TestApi;
    beforeAll(async () => void Object.assign(api, await TestApi.start(options)));
    afterAll(() => api.stop());
    return api;
  }

  /** Starts one instance for live keys. */
  static async start(options: TestApiOptions = {}): Promise<TestApi> {
    const database = options.database ?? (await createTestDatabase({ migrated: true }));
    const services = await servicesOf(database);
    const running = await startInstance(database, 'live', options);
    const document = (await (await fetch(`${running.api.url}/api/v1/openapi.json`)).json()) as OpenApiDocument;
    const api = new TestApi(database, services, running.api.url, new AnswerCheck(document), options);
    api.releases.push(running.release);
    return api;
  }

  /** Starts another instance over the same database and returns its address. */
  async startAnother(environment: KeyEnvironment = 'live'): Promise<string> {
    const running = await startInstance(this.database, environment, this.options);
    this.releases.unshift(running.release);
    return running.api.url;
  }

  /** Returns a client with this key, at the first instance unless another address is given. */
  client(apiKey: string | null, url = this.url): ApiClient {
    const client = new ApiClient(url, apiKey, this.check);
    this.clients.push(client);
    return client;
  }

  /**
   * Creates an organisation before the tests of a spec file. The result has its fields in tests and hooks.
   */
  organisationForSpec(options: { readonly timeZone?: string } = {}): TestOrganisation {
    const organisation = {} as TestOrganisation;
    beforeAll(async () => void Object.assign(organisation, await this.organisation(options)));
    return organisation;
  }

  /** Creates an organisation with the resources that its people refer to. */
  async organisation(options: { readonly timeZone?: string } = {}): Promise<TestOrganisation> {
    const row = await newOrganisation(this.services, options.timeZone);
    const { apiKey, keyId } = await newKey(this.services, row);
    const references = await newReferences(this.services, row.id);
    return { row, apiKey, keyId, client: this.client(apiKey), references };
  }

  /** Creates another key of an organisation. */
  key(
    owner: OrganisationRow,
    options: { readonly scopes?: readonly Scope[]; readonly environment?: KeyEnvironment } = {},
  ): Promise<{ apiKey: string; keyId: string }> {
    return newKey(this.services, owner, options);
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.close();
    for (const release of this.releases) await release();
    await this.database.drop();
  }
}

/**
 * Returns the services of commands over a database. They create the same ids as the API processes over it.
 */
export async function servicesOf(database: TestDatabase): Promise<CommandServices> {
  const { ids } = await loadInstallationKeys(database.pool);
  return {
    store: testEventStore(database.pool),
    executor: database.pool,
    projector: new Projector(PROJECTIONS, { now: () => new Date() }),
    mint: new IdMint(ids),
  };
}

/** Creates an organisation on the plan `standard` with approved writes. */
export function newOrganisation(services: CommandServices, timeZone = 'Europe/London'): Promise<OrganisationRow> {
  const subdomain = `t-${randomUUID()}`;
  const profile = {
    name: 'Test',
    subdomain,
    country_code: 'GB',
    plan: 'standard',
    time_zone: timeZone,
    approveWrites: true,
  } as const;
  return createOrganisation(services, testContext(''), profile);
}

/** Creates a key with all scopes, or with the given ones. */
export async function newKey(
  services: CommandServices,
  owner: OrganisationRow,
  options: { readonly scopes?: readonly Scope[]; readonly environment?: KeyEnvironment } = {},
): Promise<{ apiKey: string; keyId: string }> {
  const { scopes = SCOPES, environment = 'live' } = options;
  if (environment === 'sandbox') await ensureSandboxOrganisation(services, testContext(''));
  const { apiKey, ...secret } = generateApiKey(environment);
  const requested = { name: 'test', environment, scopes, ...secret, expiresAt: null, now: new Date() };
  const row = await createApiKey(services, testContext(owner.id), owner, requested);
  return { apiKey, keyId: row.key_id };
}

async function newReferences(services: CommandServices, organisationId: string): Promise<TestReferences> {
  const context = testContext(organisationId);
  const idOf = (found: ReadonlyMap<string, { readonly id: string }>, index = 0): string =>
    [...found.values()][index]!.id;
  const units = await findOrCreateOrgUnits(services, context, ['Engineering', 'Sales']);
  const places = await WORK_PLACES.findOrCreate(services, context, ['London']);
  const types = await WORK_TYPES.findOrCreate(services, context, ['Full-time']);
  const days = [1, 2, 3, 4, 5].map((weekday) => ({ week: 1, weekday, morning_minutes: 240, afternoon_minutes: 210 }));
  const pattern = await findOrCreateWorkingPattern(services, context, {
    label: 'Weekdays',
    cycle_weeks: 1,
    anchor_date: '2024-01-01',
    days,
  });
  return {
    department_id: idOf(units),
    other_department_id: idOf(units, 1),
    work_place_id: idOf(places),
    work_type_id: idOf(types),
    working_pattern_id: pattern.id,
  };
}

async function startInstance(
  database: TestDatabase,
  environment: KeyEnvironment,
  { clock, work, webhooks = testWebhooks(), wrapStore = (store) => store, requestLog }: TestApiOptions,
): Promise<{ api: RunningApi; release: () => Promise<void> }> {
  const pool = createPool(database.url, { applicationName: 'test api', maximum: 20, sessionSettings: SERVER_SESSION });
  const eventStore = wrapStore(testEventStore(pool));
  const keys = await loadInstallationKeys(pool);
  const settings = {
    pool,
    eventStore,
    keys,
    configuration: { ...CONFIGURATION, requestLog: requestLog ?? 'off' },
    environment,
    port: 0,
    webhooks,
  };
  const api = await startApi({
    ...settings,
    ...(clock === undefined ? {} : { clock }),
    ...(work === undefined ? {} : { work }),
  });
  const release = async (): Promise<void> => {
    await api.stop();
    await eventStore.close();
    await pool.end();
  };
  return { api, release };
}
