import { randomUUID } from 'node:crypto';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { chain } from '#event-store/new-events.js';
import { IdMint } from '#identifiers/id-mint.js';
import { eventually } from '../../../test/contract/event-store.support.js';
import { createTestDatabase, type TestDatabase } from '../../../test/support/postgres.js';
import { insertEndpoint } from '../../../test/support/webhooks/endpoint-rows.js';
import { FanOut } from './fan-out.js';
import type { DueDelivery } from '../deliver/delivery-queues.js';

const UNABLE = new Error('the sweep failed');
const MINT = new IdMint(Buffer.alloc(32, 7));

let database: TestDatabase;
let store: PostgresEventStore;
let organisationId: string;
let appended: string[];
beforeEach(async () => {
  database = await createTestDatabase();
  store = new PostgresEventStore(database.pool);
  organisationId = MINT.prefixed('organisation', '', randomUUID());
  appended = [];
});
afterEach(async () => {
  await store.close();
  await database.drop();
});

/** Appends this number of events, each to a stream of its own. */
async function append(count: number): Promise<void> {
  const metadata = {
    schema_version: 1,
    actor: { type: 'operator', id: 'tester' },
    request_id: null,
    idempotency_key: null,
    fingerprint: null,
    causation_id: null,
  } as const;
  const appends = Array.from({ length: count }, () => {
    const id = randomUUID();
    appended.push(id);
    const stream = `org-unit-${organisationId}.${id}`;
    return {
      stream,
      expected: 'none' as const,
      events: chain(stream, null, [{ id, type: 'OrgUnitCreated', data: {}, metadata }]),
    };
  });
  for (const { stream, expected, events } of appends) await store.append(stream, expected, events);
}

/** The position of the last appended event, even if readers do not see it yet. */
async function lastPosition(): Promise<string> {
  const [event] = await store.readStream(`org-unit-${organisationId}.${appended.at(-1)!}`);
  return event!.position;
}

/** Follows the log; every event is published, and receivers accept all at once if `isTaken` is set. */
class Following {
  readonly due: DueDelivery[] = [];
  /** The number of times that it became the leader. */
  terms = 0;
  readonly errors: unknown[] = [];
  private readonly stopping = new AbortController();
  private readonly running: Promise<void>;

  constructor(isTaken: boolean, { canBegin = true } = {}) {
    this.running = new FanOut({
      pool: database.pool,
      eventStore: store,
      mint: MINT,
      publicEventsOf: (events) =>
        events.map(({ id, position, recordedAt }) => ({
          organisationId,
          position,
          id,
          type: 'org_unit.created',
          occurredAt: recordedAt,
          resourceId: id,
          resourceType: 'org_unit',
        })),
      noticesOf: () => [],
      projectEndpoints: async () => undefined,
      onLeading: async () => {
        this.terms += 1;
        if (!canBegin) throw UNABLE;
      },
      onQueued: async (due) => {
        this.due.push(...due);
        if (!isTaken) return;
        const ids = due.map(({ deliveryId }) => deliveryId);
        await database.pool.query(
          `update webhook_deliveries set status = 'delivered', next_attempt_at = null, finished_at = clock_timestamp() where id = any($1)`,
          [ids],
        );
      },
      onStopped: () => undefined,
      onError: (error) => this.errors.push(error),
    }).run(this.stopping.signal);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
    expect(this.errors.filter((error) => error !== UNABLE)).toEqual([]);
  }
}

async function delivered(webhookId: string): Promise<readonly string[]> {
  const { rows } = await database.pool.query<{ event_id: string }>(
    'select event_id from webhook_deliveries where webhook_id = $1',
    [webhookId],
  );
  return rows.map((row) => row.event_id).sort();
}

describe('the fan-out', () => {
  it('creates each delivery once under any leader, in bursts and while they are worked off', async () => {
    await insertEndpoint(database.pool, { organisationId, id: 'one' });
    await append(300);
    const first = new Following(true);
    await append(500);
    await eventually(async () => (await delivered('one')).length >= 400);
    const second = new Following(true);
    await append(100);
    await first.stop();
    await append(50);
    await eventually(async () => (await delivered('one')).length === 950);
    await second.stop();
    expect(await delivered('one')).toEqual([...appended].sort());
    const told = [...first.due, ...second.due].map(({ deliveryId }) => deliveryId);
    expect(new Set(told).size).toBe(950);
  });

  it('goes on where the last one to lead ended, and begins behind what an endpoint was activated after', async () => {
    await append(3);
    await insertEndpoint(database.pool, { organisationId, id: 'early' });
    const first = new Following(true);
    await eventually(async () => (await delivered('early')).length === 3);
    await first.stop();
    await append(2);
    await insertEndpoint(database.pool, { organisationId, id: 'late', activatedPosition: await lastPosition() });
    await append(2);
    const second = new Following(true);
    await eventually(async () => (await delivered('early')).length === 7 && (await delivered('late')).length === 2);
    await second.stop();
    expect(await delivered('late')).toEqual(appended.slice(5).sort());
  });

  it('says once that it leads when another has ended, and makes deliveries where that fails', async () => {
    await insertEndpoint(database.pool, { organisationId, id: 'one' });
    const first = new Following(true);
    await eventually(async () => first.terms === 1);
    const second = new Following(true, { canBegin: false });
    await first.stop();
    await append(2);
    await eventually(async () => (await delivered('one')).length === 2);
    await second.stop();
    expect([first.terms, second.terms, second.errors]).toEqual([1, 1, [UNABLE]]);
  });

  it('makes the deliveries of what was kept by one that died in between', async () => {
    await insertEndpoint(database.pool, { organisationId, id: 'one' });
    await append(5);
    await database.pool.query(
      `insert into webhook_events (organisation_id, id, type, resource_id, resource_type, occurred_at, position) select $1, id::text, 'org_unit.created', id::text, 'org_unit', now(), $2 from unnest($3::uuid[]) id`,
      [organisationId, await lastPosition(), appended],
    );
    await database.pool.query('update webhook_fan_out set position = $1', [await lastPosition()]);
    const next = new Following(true);
    await eventually(async () => (await delivered('one')).length === 5);
    await next.stop();
  });
});
