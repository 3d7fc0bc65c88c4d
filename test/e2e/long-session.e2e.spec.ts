import { apiRoutes } from '#api/listener.js';
import { followLog } from '../support/follow-log.js';
import { CatchUp, measureLag } from '#projections/catch-up.js';
import { Projector } from '#projections/projector.js';
import { rebuild } from '#projections/rebuild/rebuild.js';
import { hashTable, type TableHash } from '#projections/table-hash.js';
import { runEffectiveDateJob } from '#people/timeline/effective-date-job.js';
import { addDays, dateIn } from '#kernel/dates.js';
import { RESOURCE_MODULES } from '#composition/modules.js';
import { PROJECTIONS } from '#composition/registry.js';
import { purgeFormerSandboxes } from '#access/sandbox/purge-sandboxes.js';
import { endTimeOffOfLeavers } from '#time-off/requests/end-time-off.js';
import { randomInt } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { PeopleActions } from '../support/api/people.js';
import { TestApi, type TestReferences } from '../support/api/test-api.js';
import { MAX_HOLD, WatchedApi } from '../support/event-loop/watched-api.js';
import { allReadable, createTestDatabase } from '../support/postgres.js';
import { chance, dayBetween, NothingThereError, text } from '../support/session/chance.js';
import { COMMANDS } from '../support/session/commands.js';
import { commandNames } from '../support/session/in-process-program.js';
import { REQUESTS, REQUESTS_BY_HAND } from '../support/session/requests.js';
import { Setting, type Steps } from '../support/session/setting.js';
import { testSize } from '../support/test-size.js';

/**
 * How often a lane tries every step, in an order of chance; three lanes of requests and one of commands go on
 * at once.
 */
const ROUNDS = {
  requests: testSize('SESSION_REQUEST_ROUNDS', { usual: 5, long: 30, eventStoreDb: 3 }),
  commands: testSize('SESSION_COMMAND_ROUNDS', { usual: 2, long: 4 }),
};
/** Of one person, beside everything else. */
const CORRECTIONS = testSize('SESSION_CORRECTIONS', { usual: 200, long: 400, eventStoreDb: 100 });
/** How often every list and everything about that person is read afterwards. */
const READS = 6;
/** What reads take that cannot do without, or that is more work with. */
const QUERIES: Readonly<Record<string, Readonly<Record<string, string | number>>>> = {
  '/payroll-changes-export': { from: '2026-01-01', to: '2026-12-31', limit: 200 },
  '/payroll-readiness-export': { limit: 200 },
  '/time-off/who-is-out': { from: '2020-01-01', to: '2060-12-31', include_pending: 'true', limit: 200 },
  '/people': { limit: 200 },
  '/people/{personId}/employment-history': { limit: 200 },
  '/people/{personId}/time-off-balance': { as_of: '2060-01-01' },
};
/**
 * How often a step is tried again that was refused every time: something must have come about of everything.
 */
const MORE_TRIES = 60;
/** Groups of commands that send what routes of the API send, and those of theirs that no route does. */
const OF_ROUTES =
  /^(?!users erase)(keys|users|org-units|working-patterns|proposals|time-off(-categories|-settings)?|public-holidays|webhooks) /;
/** Commands that record nothing, besides those that list and show. */
const READING = new Set([
  'completion',
  'start',
  'api',
  'worker',
  'migrate',
  'doctor',
  'timeline',
  'projections status',
  'projections rebuild',
  'people payroll-markers',
  'deliveries',
  'people erasures',
  'backup',
  'restore',
  'audit verify',
  'audit anchor',
  'audit anchors export',
  'audit report',
  'events export',
  'events import',
  'secrets wrap',
]);
/** Whether a command records nothing. */
const reads = (name: string): boolean => / (list|show)$/.test(name) || READING.has(name);
/** A month on, so that dated changes have come to take effect. */
const LATER = { now: () => new Date(Date.now() + 31 * 86_400_000) };

let api: TestApi;
/** The same API as a process of its own, to which requests go. */
let watched: WatchedApi;
let setting: Setting;
const counts = new Map<string, number>();
const answers = new Map<string, string>();
let tries = 0;

beforeAll(async () => {
  api = await TestApi.start();
  watched = await WatchedApi.start(api.database.url);
  setting = await Setting.make(api, watched.url);
  const { working_pattern_id } = setting.organisation.references;
  for (let count = 0; count < 3; count += 1)
    await setting.people.create({ start_date: '2025-01-01', working_pattern_id });
  // The first holidays and the first delivery load a library each: the watch would blame whatever is asked at
  // the same time.
  await setting.client.get('/public-holidays', { year: 2026 });
  for (const name of ['POST /webhooks', 'POST /webhooks/{webhookId}/test']) await take(REQUESTS, name);
  const requests = [1, 2, 3].map(() => walk(REQUESTS, ROUNDS.requests));
  await Promise.all([...requests, walk(COMMANDS, ROUNDS.commands), correctAgainAndAgain()]);
  for (const steps of [REQUESTS, COMMANDS]) {
    for (const name of Object.keys(steps)) await insist(steps, name);
  }
  // One change that is sure to be ahead still: whatever the others are, something takes effect.
  const { id } = await setting.people.create({ start_date: '2025-01-01' });
  await setting.people.change(id, { start_date: addDays(dateIn('UTC', new Date()), 10), job_title: 'Later' });
  const { store, executor, projector: _ } = api.services;
  const projector = new Projector(PROJECTIONS, LATER);
  await runEffectiveDateJob({ pool: executor as Pool, eventStore: store, projector, clock: LATER });
  await endTimeOffOfLeavers({ store, executor, projector, clock: LATER });
  await purgeFormerSandboxes(executor as Pool);
  await allReadable(api.database.pool);
});

afterAll(async () => {
  await setting.end();
  await watched.stop();
  await api.stop();
});

async function walk(steps: Steps, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const names = Object.keys(steps).sort(() => (chance(50) ? 1 : -1));
    for (const name of names) await take(steps, name);
  }
}

/**
 * Somebody whose history is corrected hundreds of times, by new facts anywhere and by corrections of
 * corrections, in an organisation that the other lanes leave alone. Then everything is read of them, and of
 * the organisation that everybody else writes to.
 */
async function correctAgainAndAgain(): Promise<void> {
  const { apiKey, references } = await api.organisation();
  const client = api.client(apiKey, watched.url);
  const people = new PeopleActions({ client });
  const { id } = await people.create({ start_date: '2024-01-01', job_title: 'A', ...termsOf(references) });
  let last: string | null = null;
  for (let count = 0; count < CORRECTIONS; count += 1) {
    const correction = {
      start_date: dayBetween('2024-01-01', '2027-12-31'),
      job_title: text(),
      ...(chance(50) ? termsOf(references) : {}),
    };
    last = (await people.correct(id, { ...correction, ...(last !== null && chance(30) ? { corrects: last } : {}) }))
      .fact_id;
  }
  const { recorded_at: instant } = (await people.facts(id))[CORRECTIONS / 2]!;
  for (let count = 0; count < READS; count += 1) {
    for (const { method, path } of apiRoutes(RESOURCE_MODULES)) {
      if (method !== 'GET' || /\{(?!personId)/.test(path)) continue;
      const query = {
        ...QUERIES[path],
        ...(path.endsWith('/timeline') && chance(50)
          ? { known_at: instant, compare_known_at: new Date().toISOString() }
          : {}),
      };
      for (const reader of path.includes('{personId}') ? [client] : [client, setting.organisation.client]) {
        const { status } = await reader.get(path.replace('{personId}', id), query);
        if (status !== 200 && status !== 404) throw new Error(`GET ${path} answered ${status}`);
      }
    }
  }
}

function termsOf({ department_id, working_pattern_id, work_type_id }: TestReferences): object {
  return {
    department_id,
    working_pattern_id,
    work_type_id,
    contracted_weekly_minutes: 1_000 + randomInt(1_000),
    full_time_weekly_minutes: 2_250,
  };
}

/** Until it was done once, and before it what others are taken on. */
async function insist(steps: Steps, name: string): Promise<void> {
  for (let more = 0; !counts.has(name) && more < MORE_TRIES; more += 1) {
    // What went before may have ended everybody, archived all that there was, or left every custom field
    // hidden.
    for (const maker of makersOf(REQUESTS, /^POST [^{]+$/)) await take(REQUESTS, maker);
    await setting.people.create({
      start_date: '2025-01-01',
      working_pattern_id: await setting.any('working_patterns', 'archived_at is null'),
    });
    for (const action of ['POST /time-off', 'POST /webhooks/{webhookId}/test', 'POST /org-units/{orgUnitId}/archive'])
      await take(REQUESTS, action);
    for (const maker of [
      ...makersOf(COMMANDS, / create$/),
      ...(name === 'secrets retire' ? ['secrets rotate', 'secrets reseal'] : []),
    ])
      await take(COMMANDS, maker);
    await take(steps, name);
  }
}

/** Steps that make what others are taken on. */
function makersOf(steps: Steps, pattern: RegExp): readonly string[] {
  return Object.keys(steps).filter((name) => pattern.test(name));
}

async function take(steps: Steps, name: string): Promise<void> {
  tries += 1;
  try {
    const { done, answer } = await steps[name]!(setting);
    if (done) counts.set(name, (counts.get(name) ?? 0) + 1);
    else answers.set(name, answer);
  } catch (error) {
    if (error instanceof NothingThereError) return;
    throw new Error(`the step ${name} failed after ${tries} steps`, { cause: error });
  }
}

async function contents(pool: Pool): Promise<ReadonlyMap<string, TableHash>> {
  const tables = PROJECTIONS.flatMap((projection) => projection.tables);
  return new Map(await Promise.all(tables.map(async (table) => [table.name, await hashTable(pool, table)] as const)));
}

describe('a long session over everything that can be written', () => {
  it('has a step for every write of the API and every command that records more, and no other', async () => {
    const routes = apiRoutes(RESOURCE_MODULES)
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(REQUESTS).sort()).toEqual([...routes].sort());
    expect(Object.keys(REQUESTS_BY_HAND).filter((name) => !routes.includes(name))).toEqual([]);
    expect(Object.keys(COMMANDS).sort()).toEqual(
      (await commandNames()).filter((name) => !reads(name) && !OF_ROUTES.test(name)).sort(),
    );
  });

  it('carried out each of them, and left rows in every table', async () => {
    const never = [...Object.keys(REQUESTS), ...Object.keys(COMMANDS)].filter((name) => !counts.has(name));
    expect(never.map((name) => [name, answers.get(name)])).toEqual([]);
    await followLog(api.services, api.database.pool);
    expect([...(await contents(api.database.pool))].filter(([, { rows }]) => rows === 0)).toEqual([]);
    expect(tries).toBeGreaterThan(ROUNDS.requests < 9 ? 300 : 500);
  });

  it(`held the event loop for no longer than ${MAX_HOLD} ms with any request, also of somebody with ${CORRECTIONS} corrections`, async () => {
    expect(await watched.routesThatHold()).toEqual({});
  });

  it('left tables that are the same, row by row, when they are built anew', async () => {
    const before = await contents(api.database.pool);
    for (const projection of PROJECTIONS) {
      const { differences } = await rebuild(
        { pool: api.database.pool, eventStore: api.services.store, clock: LATER },
        projection,
      );
      expect([projection.name, differences]).toEqual([projection.name, 0]);
    }
    expect(await contents(api.database.pool)).toEqual(before);
  });

  it('gives the same tables in an empty database that catches up with its events', async () => {
    const other = await createTestDatabase();
    try {
      const rings = await api.database.pool.query(
        "select ring, version, secret, retired_at from key_rings where ring = 'personal_data'",
      );
      for (const { ring, version, secret, retired_at } of rings.rows)
        await other.pool.query('insert into key_rings (ring, version, secret, retired_at) values ($1, $2, $3, $4)', [
          ring,
          version,
          secret,
          retired_at,
        ]);
      const { rows } = await api.database.pool.query('select organisation_id, person_id, key from person_keys');
      for (const { organisation_id, person_id, key } of rows)
        await other.pool.query('insert into person_keys (organisation_id, person_id, key) values ($1, $2, $3)', [
          organisation_id,
          person_id,
          key,
        ]);
      await catchUp(other.pool);
      // What a worker does now and then: the log tells of tenants before it tells that they are former ones.
      await purgeFormerSandboxes(other.pool);
      expect(await contents(other.pool)).toEqual(await contents(api.database.pool));
    } finally {
      await other.drop();
    }
  });
});

async function catchUp(pool: Pool): Promise<void> {
  const projector = new Projector(PROJECTIONS, LATER);
  const parts = { pool, eventStore: api.services.store, projector };
  const stop = new AbortController();
  const failures: unknown[] = [];
  const running = new CatchUp({ ...parts, onError: (error) => failures.push(error) }).run(stop.signal);
  try {
    while ((await measureLag({ ...parts, projections: PROJECTIONS }, LATER.now())).some(({ seconds }) => seconds > 0)) {
      if (failures.length > 0) throw failures[0];
      await pause(20);
    }
  } finally {
    stop.abort();
    await running;
  }
}
