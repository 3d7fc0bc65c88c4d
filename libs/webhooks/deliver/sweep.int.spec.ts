import fc from 'fast-check';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { insertEndpoint } from '../../../test/support/webhooks/endpoint-rows.js';
import type { LaneKey } from './dispatch/lane.js';
import { dueByLane, dueOfLane } from './due-deliveries.js';
import type { WakeSignal } from '../queue/wake-signal-queue.js';
import { IDS_IN_A_WAKE_SIGNAL } from '../queue/wake-signal-queue.js';
import { sweep } from './sweep.js';

/** Deliveries of one endpoint that are alike, and the endpoint's state. */
const groups = fc.record({
  count: fc.integer({ min: 1, max: 70 }),
  step: fc.constantFrom(0, 0, 1, 3),
  /** Seconds since they became due; what is below 0 is still to come. */
  dueFor: fc.constantFrom(-60, 1, 60, 3_600),
  isLeased: fc.boolean(),
  isFinished: fc.boolean(),
});
const endpoints = fc.record({
  organisation: fc.integer({ min: 0, max: 3 }),
  status: fc.constantFrom('active', 'active', 'active', 'stopped', 'disabled'),
  isWithout: fc.boolean(),
  groups: fc.array(groups, { maxLength: 3 }),
});
type Endpoint = typeof endpoints extends fc.Arbitrary<infer Value> ? Value : never;

interface Row {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly id: string;
  readonly step: number;
  readonly dueFor: number;
  readonly isLeased: boolean;
  readonly isFinished: boolean;
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.pool.query('truncate webhooks, webhook_deliveries, webhook_attempts, webhook_stops'));

const organisationOf = ({ organisation }: Endpoint): string => `organisation ${organisation}`;
const webhookOf = (index: number): string => `endpoint ${index}`;

async function plant(all: readonly Endpoint[]): Promise<readonly Row[]> {
  const rows = all.flatMap((endpoint, index) =>
    endpoint.groups.flatMap(({ count, ...group }, nth) =>
      Array.from({ length: count }, (_, number): Row => ({
        ...group,
        organisationId: organisationOf(endpoint),
        webhookId: webhookOf(index),
        id: `${index}-${nth}-${String(number).padStart(2, '0')}`,
      })),
    ),
  );
  await database.pool.query('truncate webhooks, webhook_deliveries, webhook_attempts, webhook_stops');
  for (const [index, endpoint] of all.entries())
    await insertEndpoint(database.pool, { organisationId: organisationOf(endpoint), id: webhookOf(index) });
  await database.pool.query(`update webhooks set status = 'disabled' where id = any($1)`, [
    all.flatMap(({ status }, index) => (status === 'disabled' ? [webhookOf(index)] : [])),
  ]);
  await database.pool.query(
    `insert into webhook_stops select organisation_id, id, 1, 'delivery_overflow' from webhooks where id = any($1)`,
    [all.flatMap(({ status }, index) => (status === 'stopped' ? [webhookOf(index)] : []))],
  );
  await database.pool.query(
    `insert into webhook_deliveries (organisation_id, id, webhook_id, event_id, event_type, resource_id, resource_type, occurred_at, status, step, next_attempt_at, finished_at, leased_until)
     select "organisationId", id, "webhookId", id, 'person.updated', id, 'person', clock_timestamp() - "dueFor" * interval '1 second',
            case when "isFinished" then 'delivered' when step > 0 then 'retry_scheduled' else 'pending' end, step,
            case when not "isFinished" then clock_timestamp() - "dueFor" * interval '1 second' end, case when "isFinished" then clock_timestamp() end,
            case when "isLeased" then clock_timestamp() + interval '1 minute' end
       from json_to_recordset($1) as r ("organisationId" text, id text, "webhookId" text, step integer, "dueFor" integer, "isLeased" boolean, "isFinished" boolean)`,
    [JSON.stringify(rows)],
  );
  return rows;
}

async function pagesOf(lanes: number, without: readonly LaneKey[]): Promise<readonly (readonly WakeSignal[])[]> {
  const pages: (readonly WakeSignal[])[] = [];
  for (let after: LaneKey | null = null; ;) {
    const page: Awaited<ReturnType<typeof dueByLane>> = await dueByLane(database.pool, after, without, lanes);
    pages.push(page);
    if (page.length < lanes) return pages;
    after = page.at(-1)!;
  }
}

const keyOf = ({ webhookId, isAgain = false }: { readonly webhookId: string; readonly isAgain?: boolean }): string =>
  `${webhookId} ${isAgain}`;

describe('a sweep', () => {
  it('finds what has been due longest of every lane, and of none more than its share, in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(endpoints, { maxLength: 8 }), fc.integer({ min: 1, max: 5 }), async (all, lanes) => {
        const rows = await plant(all);
        const without = all.flatMap((endpoint, index) =>
          endpoint.isWithout ? [{ organisationId: organisationOf(endpoint), webhookId: webhookOf(index), isAgain: true }] : [],
        );
        const sending = new Set(all.flatMap(({ status }, index) => (status === 'active' ? [webhookOf(index)] : [])));
        const expected = new Map<string, Row[]>();
        for (const row of rows) {
          const key = keyOf({ webhookId: row.webhookId, isAgain: row.step > 0 });
          const isDue =
            sending.has(row.webhookId) &&
            row.dueFor > 0 &&
            !row.isLeased &&
            !row.isFinished &&
            !without.some((lane) => keyOf(lane) === key);
          if (isDue) expected.set(key, [...(expected.get(key) ?? []), row]);
        }
        const wakeSignals = (await pagesOf(lanes, without)).flat();
        expect(wakeSignals.map(keyOf).sort()).toEqual([...expected.keys()].sort());
        for (const wakeSignal of wakeSignals) {
          const due = expected.get(keyOf(wakeSignal))!;
          expect([wakeSignal.deliveryIds.length, wakeSignal.hasMore]).toEqual([
            Math.min(due.length, IDS_IN_A_WAKE_SIGNAL),
            due.length > IDS_IN_A_WAKE_SIGNAL,
          ]);
          const found = due.filter(({ id }) => wakeSignal.deliveryIds.includes(id));
          const left = due.filter(({ id }) => !wakeSignal.deliveryIds.includes(id));
          expect(found).toHaveLength(wakeSignal.deliveryIds.length);
          expect(Math.min(...found.map(({ dueFor }) => dueFor))).toBeGreaterThanOrEqual(Math.max(...left.map(({ dueFor }) => dueFor)));
          const rest = await dueOfLane(database.pool, wakeSignal as LaneKey, wakeSignal.deliveryIds);
          expect([rest?.deliveryIds.length ?? 0, rest?.hasMore ?? false]).toEqual([
            Math.min(left.length, IDS_IN_A_WAKE_SIGNAL),
            left.length > IDS_IN_A_WAKE_SIGNAL,
          ]);
          expect(rest?.deliveryIds.filter((id) => !left.some((row) => row.id === id)) ?? []).toEqual([]);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('of an endpoint whose deliveries became due last finds as much as of the others, however many wait there', async () => {
    const hung = Array.from({ length: 30 }, (_, index): Endpoint => ({
      organisation: index % 3,
      status: 'active',
      isWithout: false,
      groups: [{ count: 250, step: 1, dueFor: 3_600, isLeased: false, isFinished: false }],
    }));
    const back: Endpoint = {
      organisation: 3,
      status: 'active',
      isWithout: false,
      groups: [{ count: 60, step: 1, dueFor: 1, isLeased: false, isFinished: false }],
    };
    await plant([...hung, back]);
    const [page, ...others] = await all(sweep(database.pool));
    expect(others).toEqual([]);
    expect(page).toHaveLength(31);
    expect(page!.find(({ webhookId }) => webhookId === webhookOf(30))).toMatchObject({
      isAgain: true,
      hasMore: true,
      deliveryIds: { length: IDS_IN_A_WAKE_SIGNAL },
    });
  });

  it('finds nothing while another process sweeps', async () => {
    await plant([
      {
        organisation: 0,
        status: 'active',
        isWithout: false,
        groups: [{ count: 1, step: 0, dueFor: 1, isLeased: false, isFinished: false }],
      },
    ]);
    const other = await database.pool.connect();
    try {
      await other.query(`begin; select pg_advisory_xact_lock(hashtextextended('sweep of webhook deliveries', 0))`);
      expect(await all(sweep(database.pool))).toEqual([]);
      await other.query('rollback');
    } finally {
      other.release();
    }
    expect(await all(sweep(database.pool))).toMatchObject([[{ isAgain: false, hasMore: false }]]);
  });
});

async function all<Value>(values: AsyncIterable<Value>): Promise<readonly Value[]> {
  const found: Value[] = [];
  for await (const value of values) found.push(value);
  return found;
}
