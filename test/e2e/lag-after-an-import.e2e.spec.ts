/** How far projections are behind where events came into the log with the recorded times of a history. */
import { randomUUID } from 'node:crypto';
import { runOnce } from '#database/run-once.js';
import { createOrganisation } from '#organisation/organisation/organisation.api.js';
import { movePositions } from '#composition/event-positions.js';
import { measureLag } from '#projections/catch-up.js';
import { PROJECTIONS } from '#composition/registry.js';
import { createdAtOf } from '#cli/sample-data/seed-organisation.js';
import { recordedAt } from '#cli/sample-data/recorded-at.js';
import { healthOf, type PartHealth } from '#worker/operations/health.js';
import { testContext, testServices } from '../support/command-services.js';
import { allReadable, createTestDatabase, type TestDatabase } from '../support/postgres.js';

let database: TestDatabase;
let services: ReturnType<typeof testServices>;

beforeEach(async () => {
  database = await createTestDatabase({ migrated: true });
  services = testServices(database);
});
afterEach(async () => {
  await services.store.close();
  await database.drop();
});

async function record(store = services.store): Promise<void> {
  const profile = {
    name: 'History',
    subdomain: `t-${randomUUID()}`,
    country_code: 'GB',
    plan: 'standard',
    time_zone: 'UTC',
  } as const;
  await createOrganisation({ ...services, store }, testContext(''), { ...profile, approveWrites: true });
  await allReadable(database.pool);
}

/** Records an organisation as of years ago, as an import does. */
const recordHistory = (): Promise<void> => record(recordedAt(services.store, createdAtOf('2021-03-01')));

async function lagAt(now: Date): Promise<number> {
  const lags = await measureLag({ pool: database.pool, eventStore: services.store, projections: PROJECTIONS }, now);
  return Math.max(...lags.map(({ seconds }) => seconds));
}

async function projectionsPart(): Promise<PartHealth> {
  const { parts } = await healthOf({ pool: database.pool, eventStore: services.store, queue: null, reasons: [] });
  return parts['projections']!;
}

async function instantFrom(text: string): Promise<Date> {
  return (await database.pool.query<{ moment: Date }>(text)).rows[0]!.moment;
}

const secondsAfter = (instant: Date, seconds: number): Date => new Date(instant.getTime() + seconds * 1_000);

const IMPORTS = {
  'the first start with demo data': {
    run: () => runOnce(database.pool, 'demo', () => Promise.resolve(true), recordHistory),
    ended: 'select finished_at as moment from installation_steps',
    earlier: `update installation_steps set finished_at = finished_at - interval '1 hour'`,
  },
  'workforce events import': {
    run: async (): Promise<void> => {
      await recordHistory();
      const log = await services.store.readAll(null, 1_000);
      const positions = new Map(log.map(({ position }) => [position, position]));
      const ends = { first: log[0]!.position, last: log.at(-1)!.position };
      expect(
        await movePositions(database.pool, {
          positions,
          ...ends,
          publishedUpTo: null,
          log: { kind: 'postgresql', first: null },
        }),
      ).toBe(true);
    },
    ended: 'select moved_at as moment from event_store_moves',
    earlier: `update event_store_moves set moved_at = moved_at - interval '1 hour'`,
  },
};

describe.each(Object.entries(IMPORTS))('the lag of projections after %s', (_, { run, ended, earlier }) => {
  it('counts from the end of the import, not from the recorded times of the history', async () => {
    await run();
    const end = await instantFrom(ended);
    expect(await lagAt(end)).toBe(0);
    expect(await lagAt(secondsAfter(end, 2))).toBeCloseTo(2, 3);
    expect(await projectionsPart()).toMatchObject({ status: 'ok', message: null });
  });

  it('is reported where nothing handles the history', async () => {
    await run();
    await database.pool.query(earlier);
    expect(await projectionsPart()).toMatchObject({
      status: 'degraded',
      message: expect.stringMatching(/^Projections are behind: /),
    });
  });

  it('counts from the recorded time of an event that came after the import', async () => {
    await run();
    const handled = (await services.store.readAll(null, 1_000)).at(-1)!;
    await database.pool.query('insert into projection_checkpoints (name, position) select unnest($1::text[]), $2', [
      PROJECTIONS.map(({ name }) => name),
      handled.position,
    ]);
    await database.pool.query(earlier);
    expect(await lagAt(new Date())).toBe(0);
    await record();
    const [next] = await services.store.readAll(handled.position, 1);
    expect(await lagAt(secondsAfter(new Date(next!.recordedAt), 7))).toBeCloseTo(7, 3);
  });
});
