import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../contract/event-store.support.js';
import { AnswerCheck, type OpenApiDocument } from '../support/api/answer-check.js';
import { type ApiAnswer, ApiClient, dataOf, tagOf } from '../support/api/http-client.js';
import { newEmail, PeopleActions } from '../support/api/people.js';
import type { Employment, Fact, Person } from '../support/api/shapes.js';
import { newKey, newOrganisation, servicesOf } from '../support/api/test-api.js';
import { recordedEvents } from '../support/event-store.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { type RunningProcess, startWorkforce } from '../support/processes.js';
import { isOnEventStoreDb, testSize } from '../support/test-size.js';

jest.setTimeout(3_600_000);

const KILLS = testSize('KILLS', { usual: 6, long: 100 });
/**
 * Every so many kills one comes when every write is within its transaction and none is committed; the others
 * come at random.
 */
const CERTAIN_EVERY = 3;
/** Changes of identity that come together. */
const RENAMED = 2;
/** A person's creation records two, a change of employment one, and so does each change of identity. */
const EVENTS_OF_THE_WRITES = 3 + RENAMED;
const WRITES = 2 + RENAMED;
/**
 * What such a kill leaves: of transactions that were not committed nothing, and what a store of its own has
 * taken by then.
 */
const EVENTS_OF_UNCOMMITTED = isOnEventStoreDb ? EVENTS_OF_THE_WRITES : 0;
/**
 * A kill comes this long after the writes were sent at the latest, or as long after as the writes before
 * took.
 */
const LATEST_KILL_MILLISECONDS = 30;

/** An API process of the built program, and a client of it. */
interface Instance {
  readonly process: RunningProcess;
  readonly client: ApiClient;
  readonly people: PeopleActions;
}

let database: TestDatabase;
let apiKey: string;
let organisationId: string;
/** Started ahead, because a start takes longer than what is done with it. */
let starting: Promise<Instance>[];

beforeAll(async () => {
  database = await createTestDatabase({ migrated: true });
  const services = await servicesOf(database);
  const organisation = await newOrganisation(services);
  organisationId = organisation.id;
  apiKey = (await newKey(services, organisation)).apiKey;
  starting = [start(), start()];
});

afterAll(async () => {
  for (const outcome of await Promise.allSettled(starting))
    if (outcome.status === 'fulfilled') await end(outcome.value);
  await database.drop();
});

async function start(): Promise<Instance> {
  const limits = Object.fromEntries(
    ['KEY', 'KEY_WRITES', 'ORGANISATION'].map((name) => [`RATE_LIMIT_${name}`, '100000000']),
  );
  const process = startWorkforce(['api', '--json'], {
    DATABASE_URL: database.url,
    PORT: '0',
    SANDBOX_PORT: '0',
    OPS_PORT: '0',
    LOG_LEVEL: 'error',
    ...limits,
  });
  const [line] = await process.untilPrinted(/^\{"api":.*\}$/m);
  const url = (JSON.parse(line) as { api: string }).api.replace('/api/v1', '');
  const document = (await (await fetch(`${url}/api/v1/openapi.json`)).json()) as OpenApiDocument;
  const client = new ApiClient(url, apiKey, new AnswerCheck(document));
  return { process, client, people: new PeopleActions({ client }) };
}

async function end({ process, client }: Instance): Promise<void> {
  await process.end('SIGKILL');
  client.close();
}

/**
 * Sends until the request was answered, as a caller retries: with the same key, and later where it is still
 * running.
 */
async function acknowledged<Data>(send: () => Promise<ApiAnswer<Data>>): Promise<ApiAnswer<Data>> {
  for (;;) {
    const answer = await send();
    if (answer.status < 300) return answer;
    if (answer.json.error.details?.[0]?.issue !== 'in_progress') throw new Error(`a retry was refused: ${answer.text}`);
    await wait(Number(answer.headers['retry-after']) * 1_000);
  }
}

async function eventCount(): Promise<number> {
  return (await recordedEvents(database.pool)).filter(({ stream }) => /^(person|employment)-/.test(stream)).length;
}

type Write = (client: ApiClient) => Promise<ApiAnswer>;

/** When a process is killed that has been sent writes. */
type FaultPoint = (kill: () => Promise<void>) => Promise<void>;

/** At random, `latest` milliseconds after the writes were sent or sooner. */
function randomFaultPoint(latest: number): FaultPoint {
  return async (kill) => {
    await wait(randomInt(latest + 1));
    await kill();
  };
}

/**
 * Where it hurts for certain: everything is appended, and nothing projected or answered, because the read
 * tables are locked.
 */
const uncommitted: FaultPoint = async (kill) => {
  await eventually(async () => {
    const { rowCount } = await database.pool.query(
      `select from pg_locks where locktype = 'relation' and not granted and database = (select oid from pg_database where datname = current_database())`,
    );
    return rowCount === WRITES;
  });
  await kill();
};

async function whileTablesAreLocked<Result>(work: () => Promise<Result>): Promise<Result> {
  const holder = await database.pool.connect();
  try {
    // Other processes work meanwhile, on a busy machine for longer than a transaction may be idle.
    await holder.query(
      'begin; set local idle_in_transaction_session_timeout = 0; lock table people, employment_facts in share mode',
    );
    return await work();
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

/**
 * What a caller sees of writes whose process is killed: their answers, or none, and then those of the
 * retries.
 */
async function killAmid(
  victim: Instance,
  survivor: Instance,
  writes: readonly Write[],
  instant: FaultPoint,
): Promise<Killed> {
  const interrupt = async (): Promise<readonly (ApiAnswer | null)[]> => {
    const sent = writes.map((write) => write(victim.client).catch(() => null));
    await instant(() => end(victim));
    return Promise.all(sent);
  };
  const first = await (instant === uncommitted ? whileTablesAreLocked(interrupt) : interrupt());
  const events = await eventCount();
  const retriedAt = performance.now();
  const retried = await Promise.all(writes.map((write) => acknowledged(() => write(survivor.client))));
  return { first, events, retried, milliseconds: Math.ceil(performance.now() - retriedAt) };
}

/** What came of writes that a kill interrupted. */
interface Killed {
  readonly first: readonly (ApiAnswer | null)[];
  /** Events in the log right after the kill. */
  readonly events: number;
  readonly retried: readonly ApiAnswer[];
  /** How long the retries took. */
  readonly milliseconds: number;
}

describe('an API process that is killed at a random moment while it writes', () => {
  it(`leaves, over ${KILLS} kills, exactly one person with one employment for each key, and one version for each change`, async () => {
    let victim = await starting.shift()!;
    const changed = await victim.people.create({ start_date: '2020-01-01' });
    const renamed = await Promise.all(
      Array.from({ length: RENAMED }, () => victim.people.create({ start_date: '2020-01-01' })),
    );
    let latest = LATEST_KILL_MILLISECONDS;
    const created: string[] = [];
    for (let kill = 1; kill <= KILLS; kill += 1) {
      starting.push(start());
      const survivor = await starting.shift()!;
      const [personKey, changeKey] = [randomUUID(), randomUUID()];
      const body = { work_email: newEmail(), first_name: `P${kill}`, start_date: '2024-01-01', job_title: 'Engineer' };
      const ifMatch = await victim.people.employmentTag(changed.id);
      const change = { start_date: '2021-01-01', job_title: `T${kill}` };
      const renamings = await Promise.all(
        renamed.map(async ({ id }) => ({
          id,
          ifMatch: await victim.people.personTag(id),
          idempotencyKey: randomUUID(),
        })),
      );
      const before = await eventCount();
      const writes: readonly Write[] = [
        (client) => client.post<Person>('/people', body, { idempotencyKey: personKey }),
        (client) =>
          client.patch<Employment>(`/people/${changed.id}/employment`, change, { idempotencyKey: changeKey, ifMatch }),
        ...renamings.map(
          ({ id, ...options }): Write =>
            (client) =>
              client.patch<Person>(`/people/${id}`, { preferred_name: `N${kill}` }, options),
        ),
      ];
      const isCertain = kill % CERTAIN_EVERY === 0;
      const killed = await killAmid(victim, survivor, writes, isCertain ? uncommitted : randomFaultPoint(latest));
      latest = Math.max(LATEST_KILL_MILLISECONDS, killed.milliseconds);
      if (isCertain) {
        expect(killed.first).toEqual(writes.map(() => null));
        expect(killed.events).toBe(before + EVENTS_OF_UNCOMMITTED);
      }
      const [creation, alteration, ...answered] = killed.retried;
      killed.first.forEach((first, index) => {
        const retried = killed.retried[index]!;
        if (first !== null)
          expect([first.status, first.text, tagOf(first)]).toEqual([retried.status, retried.text, tagOf(retried)]);
      });
      expect(await eventCount()).toBe(before + EVENTS_OF_THE_WRITES);
      const person = creation as ApiAnswer<Person>;
      const again = await survivor.client.post<Person>('/people', body, { idempotencyKey: personKey });
      expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([201, person.text, 'true']);
      expect((await survivor.client.get(`/people/${person.json.data.id}`)).text).toBe(person.text);
      expect(await survivor.people.facts(person.json.data.id)).toMatchObject([
        { action: 'start', job_title: 'Engineer', timeline_version: 1 },
      ]);
      expect(dataOf(200, alteration as ApiAnswer<Employment>)).toMatchObject({
        timeline_version: kill + 1,
        job_title: `T${kill}`,
      });
      for (const renaming of answered)
        expect(dataOf(200, renaming as ApiAnswer<Person>)).toMatchObject({ preferred_name: `N${kill}` });
      for (const { id } of renamed)
        expect(await survivor.people.person(id)).toMatchObject({ preferred_name: `N${kill}` });
      created.push(person.json.data.id);
      victim = survivor;
    }
    const all = await victim.people.all<Person>('/people');
    expect(all.map(({ id }) => id).sort()).toEqual(
      [changed, ...renamed]
        .map(({ id }) => id)
        .concat(created)
        .sort(),
    );
    const facts = await victim.people.facts(changed.id);
    expect(facts.map(({ job_title }: Fact) => job_title)).toEqual([
      undefined,
      ...created.map((_, index) => `T${index + 1}`),
    ]);
    const { rows } = await database.pool.query('select from people where organisation_id = $1', [organisationId]);
    expect(rows).toHaveLength(KILLS + 1 + RENAMED);
    await end(victim);
  });
});
