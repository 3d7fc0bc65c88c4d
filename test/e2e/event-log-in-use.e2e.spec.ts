import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfiguration } from '#configuration/configuration.js';
import { openInstallation } from '#cli/installation.js';
import { AnotherEventLogError } from '#event-store/event-store.js';
import { EventStoreDbEventStore } from '#event-store/eventstoredb/eventstoredb-event-store.js';
import { projectBatch } from '#projections/catch-up.js';
import { advanceCheckpoints } from '#projections/checkpoints.js';
import { createProjector, PROJECTIONS } from '#composition/registry.js';
import { eventually } from '../contract/event-store.support.js';
import { PATIENCE } from '../support/eventstoredb/patience.js';
import { EventStoreDbTestServer } from '../support/eventstoredb/test-server.js';
import { allReadable, createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { type Program, programOver, words } from '../support/program.js';
import { temporaryDirectory } from '../support/test-server.js';

type Store = 'PostgreSQL' | 'EventStoreDB';

const NOT_SET = /in EventStoreDB, but EVENTSTORE_URL is not set: set it/;
const NOT_THERE = /in PostgreSQL, but EVENTSTORE_URL names an EventStoreDB: unset it/;
const ANOTHER =
  /EVENTSTORE_URL names an EventStoreDB with another log .* which begins with event [0-9a-f-]{36}: set it/;

let database: TestDatabase;
let server: EventStoreDbTestServer;
let other: EventStoreDbTestServer;
let programs: Record<Store, Program>;
let elsewhere: Program;
beforeEach(async () => {
  [database, server, other] = await Promise.all([
    createTestDatabase(),
    EventStoreDbTestServer.start(),
    EventStoreDbTestServer.start(),
  ]);
  const over = (settings: Readonly<Record<string, string>>): Program => programOver(() => database, settings);
  programs = { PostgreSQL: over({}), EventStoreDB: over({ EVENTSTORE_URL: server.connectionString }) };
  elsewhere = over({ EVENTSTORE_URL: other.connectionString });
});
afterEach(async () => {
  await Promise.all([server.stop(), other.stop()]);
  await database.drop();
});

async function organisation(program: Program, subdomain = 'acme'): Promise<void> {
  const profile = `--name Acme --subdomain ${subdomain} --country GB --plan standard --time-zone UTC`.split(' ');
  await program.json('organisations', 'create', ...profile);
}

const workType = (program: Program): ReturnType<Program['workforce']> =>
  program.workforce(...words('reference create --organisation acme --dictionary work-types --label'), 'Office work');

/** Handles the whole log as a worker does. */
async function handle(store: Store): Promise<void> {
  const installation = await open(store === 'PostgreSQL' ? {} : { EVENTSTORE_URL: server.connectionString });
  try {
    const { pool, eventStore } = installation;
    if (store === 'PostgreSQL') await allReadable(pool);
    const events = await eventStore.readAll(null, 1_000);
    await projectBatch({ eventStore, projector: createProjector({ now: () => new Date() }) }, pool, events);
    const names = PROJECTIONS.map(({ name }) => name);
    await advanceCheckpoints(pool, names, events.at(-1)!.position);
  } finally {
    await installation.close();
  }
}

/** As the processes of a server open it. */
function open(settings: Readonly<Record<string, string>>): ReturnType<typeof openInstallation> {
  return openInstallation({
    configuration: readConfiguration({ DATABASE_URL: database.url, ...settings }),
    kind: 'server',
  });
}

async function eventsHere(): Promise<number> {
  return (await database.pool.query<{ count: number }>('select count(*)::integer as count from events')).rows[0]!.count;
}

const eventsIn = ({ log }: EventStoreDbTestServer): number =>
  log.events.filter(({ type }) => !type.startsWith('$')).length;

async function refused(running: ReturnType<Program['workforce']>, sentence: RegExp): Promise<void> {
  const { code, stdout, stderr } = await running;
  expect([code, stdout, stderr]).toEqual([3, '', expect.stringMatching(sentence)]);
}

describe('an installation on EventStoreDB', () => {
  beforeEach(() => organisation(programs.EventStoreDB));

  it.each<[string, (program: Program) => ReturnType<Program['workforce']>]>([
    ['a command that writes', workType],
    ['a rebuild', (program) => program.workforce('projections', 'rebuild', 'people')],
    ['the progress of projections', (program) => program.workforce('projections', 'status')],
    ['an export', (program) => program.workforce('events', 'export')],
  ])('refuses %s without EVENTSTORE_URL', async (_, run) => {
    await refused(run(programs.PostgreSQL), NOT_SET);
    expect(await eventsHere()).toBe(0);
  });

  it('refuses a server without EVENTSTORE_URL', async () => {
    await expect(open({})).rejects.toThrow(NOT_SET);
  });

  it.each<[string, (program: Program) => ReturnType<Program['workforce']>]>([
    ['a command that writes', workType],
    ['a rebuild', (program) => program.workforce('projections', 'rebuild', 'people')],
    ['the progress of projections', (program) => program.workforce('projections', 'status')],
  ])('refuses %s with another, empty EventStoreDB', async (_, run) => {
    await refused(run(elsewhere), ANOTHER);
    expect(eventsIn(other)).toBe(0);
  });

  it('refuses a server with another EventStoreDB that holds the events of another installation', async () => {
    const theirs = await createTestDatabase();
    await organisation(programOver(() => theirs, { EVENTSTORE_URL: other.connectionString }));
    await theirs.drop();
    await expect(open({ EVENTSTORE_URL: other.connectionString })).rejects.toThrow(ANOTHER);
  });

  it('is named by doctor', async () => {
    const found = async (program: Program): Promise<string> => (await program.workforce('doctor')).stdout;
    expect(await found(programs.EventStoreDB)).toMatch(
      /ok +The event store in EventStoreDB answers and holds the log of this installation, which begins with event [0-9a-f-]{36}\./,
    );
    expect(await found(programs.PostgreSQL)).toMatch(new RegExp(`failed +.*${NOT_SET.source}`));
    expect(await found(elsewhere)).toMatch(new RegExp(`failed +${ANOTHER.source}`));
  });

  it('starts while EventStoreDB is away, and takes no write into another one that comes up in its place', async () => {
    await server.stop();
    const { eventStore, close } = await open({ EVENTSTORE_URL: server.connectionString });
    const fresh = await EventStoreDbTestServer.start({ port: server.port });
    try {
      await eventually(async () => {
        const failure: unknown = await eventStore.append('test-stream', 'none', []).catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(AnotherEventLogError);
        return true;
      });
      expect(eventsIn(fresh)).toBe(0);
    } finally {
      await close();
      await fresh.stop();
    }
  });
});

it('an installation on PostgreSQL refuses EVENTSTORE_URL, and names it in doctor', async () => {
  await organisation(programs.PostgreSQL);
  await refused(workType(programs.EventStoreDB), NOT_THERE);
  await expect(open({ EVENTSTORE_URL: server.connectionString })).rejects.toThrow(NOT_THERE);
  expect((await programs.EventStoreDB.workforce('doctor')).stdout).toMatch(new RegExp(`failed +.*${NOT_THERE.source}`));
  expect(eventsIn(server)).toBe(0);
  expect((await workType(programs.PostgreSQL)).code).toBe(0);
});

describe('an installation from before the log was remembered', () => {
  const forget = (): Promise<unknown> => database.pool.query('delete from event_log');
  const stores: readonly [Store, Store][] = [
    ['PostgreSQL', 'EventStoreDB'],
    ['EventStoreDB', 'PostgreSQL'],
  ];

  it.each(stores)('on %s goes on with it, and not with %s', async (own, foreign) => {
    await organisation(programs[own]);
    for (const step of [async () => undefined, () => handle(own)]) {
      await step();
      await forget();
      await refused(workType(programs[foreign]), /EVENTSTORE_URL/);
      await refused(workType(elsewhere), /EVENTSTORE_URL/);
      expect(
        (await programs[own].workforce('reference', 'list', '--organisation', 'acme', '--dictionary', 'work-types'))
          .code,
      ).toBe(0);
    }
  });

  it.each(stores)(
    'that was moved from %s to %s goes on there alone, although both hold its events',
    async (from, to) => {
      const directory = await temporaryDirectory();
      try {
        await organisation(programs[from]);
        await handle(from);
        const file = join(directory, 'history');
        await programs[from].json('events', 'export', file);
        await programs[to].json('events', 'import', file);
        await forget();
        await refused(workType(programs[from]), /EVENTSTORE_URL/);
        expect((await workType(programs[to])).code).toBe(0);
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    },
  );
});

describe('a move', () => {
  it('leaves an older copy in EventStoreDB that is refused once PostgreSQL has handled more', async () => {
    await organisation(programs.EventStoreDB);
    const [original, copy] = [server, other].map(
      ({ connectionString }) => new EventStoreDbEventStore({ connectionString, ...PATIENCE }),
    );
    await copy!.importEvents(await original!.readAll(null, 1_000));
    await Promise.all([original!.close(), copy!.close()]);
    expect((await workType(programs.EventStoreDB)).code).toBe(0);
    await handle('EventStoreDB');
    await refused(
      elsewhere.workforce('projections', 'rebuild', 'people'),
      /without the event that PostgreSQL handled last/,
    );
  });
});
