import { randomInt, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type JobEngine, openJobEngine } from '#jobs/job-engine.js';
import { DeliveryQueues } from '#webhooks/deliver/delivery-queues.js';
import type { Pool } from 'pg';
import { newKey, newOrganisation, servicesOf } from '../support/api/test-api.js';
import { hurryDeliveries } from '../support/faults/hurry.js';
import { Installation, persist } from '../support/faults/installation.js';
import { startTestRedis } from '../support/redis.js';
import { testSize } from '../support/test-size.js';
import { type Behaviour, Receiver } from '../support/webhooks/receiver.js';

jest.setTimeout(3_600_000);

/** The whole storm is the run of `docs/reference/tests.md`; every run has a smaller one. */
const EVENTS = testSize('WEBHOOK_STORM_EVENTS', { usual: 200, long: 400 });
const KILLS = testSize('WEBHOOK_STORM_KILLS', { usual: 4, long: 6 });
const RESTARTS = testSize('WEBHOOK_STORM_RESTARTS', { usual: 1 });

const ok = (response: ServerResponse): void => void response.writeHead(200).end();
const answer =
  (status: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, headers).end();

/** One byte a second, for as long as anybody listens. */
function drip(response: ServerResponse): void {
  response.socket?.write('HTTP/1.1 200 OK\r\nx-slow: ');
  const timer = setInterval(() => response.socket?.write('.'), 1_000);
  response.socket?.once('close', () => clearInterval(timer));
}

/** A receiver that misbehaves now and then, in one of these ways. */
function mostlyWell(
  ...faults: readonly (readonly [share: number, fault: (response: ServerResponse) => void])[]
): Behaviour {
  return (_, response) => {
    let chance = Math.random();
    for (const [share, fault] of faults) {
      if (chance < share) return fault(response);
      chance -= share;
    }
    ok(response);
  };
}

/** Refuses these many deliveries for good, by their ids, however often they come. */
function refusing(count: number): { behaviour: Behaviour; refused: Set<string> } {
  const refused = new Set<string>();
  const behaviour: Behaviour = ({ headers }, response) => {
    const id = headers['service-webhook-delivery-id'] as string;
    if (refused.size < count) refused.add(id);
    if (refused.has(id)) answer(404)(response);
    else ok(response);
  };
  return { behaviour, refused };
}

/** Asks an API until it answers with success, with the same key however often. */
async function send(
  installation: Installation,
  apiKey: string,
  path: string,
  body: object,
): Promise<{ readonly data: { readonly id: string } }> {
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'idempotency-key': randomUUID(),
  };
  for (;;) {
    const address = installation.addressOf(installation.apis[randomInt(installation.apis.length)]!);
    try {
      const response = await fetch(`${address}/api/v1${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(20_000),
      });
      const text = await response.text();
      if (response.ok) return JSON.parse(text) as { data: { id: string } };
      if (response.status < 500 && !text.includes('in_progress')) throw new Refused(`${response.status} ${text}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
    await wait(50);
  }
}

class Refused extends Error {}

interface DeliveryRow {
  readonly webhook_id: string;
  readonly event_id: string;
  readonly id: string;
  readonly status: string;
  readonly attempt_count: number;
  readonly attempts: number;
}

describe.each(['PostgreSQL', 'Redis'])(
  `${EVENTS} events to five endpoints, with jobs over %s, amid ${KILLS} kills and ${RESTARTS} restarts`,
  (lane) => {
    let installation: Installation;
    let jobs: JobEngine;
    const receivers: Receiver[] = [];
    beforeAll(async () => {
      installation = await Installation.start({ redis: lane === 'Redis' ? await startTestRedis() : null });
      jobs = openJobEngine(
        { redisUrl: installation.redis?.url ?? null, databaseUrl: installation.url },
        { warn: () => undefined },
      );
    });
    afterAll(async () => {
      await jobs.close();
      for (const receiver of receivers) await receiver.stop();
      await installation.stop();
    });

    it('are delivered each at least once, recorded exactly once, and none is lost', async () => {
      const { pool } = installation;
      const database = { url: installation.url, pool, drop: () => Promise.resolve() };
      const services = await servicesOf(database);
      const organisation = await newOrganisation(services);
      const { apiKey } = await newKey(services, organisation);
      await Promise.all(['api 1', 'api 2', 'worker 1', 'worker 2'].map((name) => installation.launch(name)));
      installation.superviseFromNowOn();
      const refuser = refusing(7);
      const behaviours: readonly Behaviour[] = [
        mostlyWell(),
        mostlyWell([0.05, answer(500)], [0.05, answer(408)]),
        mostlyWell(
          [0.05, answer(429, { 'retry-after': '1' })],
          [0.05, (response) => response.socket?.resetAndDestroy()],
        ),
        mostlyWell([1 / EVENTS, () => undefined], [1 / EVENTS, drip]),
        refuser.behaviour,
      ];
      const endpoints: string[] = [];
      for (const behaviour of behaviours) {
        const receiver = new Receiver(behaviour);
        receivers.push(receiver);
        const created = await send(installation, apiKey, '/webhooks', {
          name: `Receiver ${endpoints.length}`,
          url: `${await receiver.start()}/in`,
          subscribed_events: ['person.created'],
        });
        endpoints.push(created.data.id);
      }

      const people: string[] = [];
      let isWriting = true;
      const writers = Array.from({ length: 8 }, async (_, writer) => {
        for (let index = writer; index < EVENTS; index += 8)
          people.push((await send(installation, apiKey, '/people', { work_email: `p${index}@example.com` })).data.id);
      });
      const writing = Promise.all(writers).finally(() => (isWriting = false));

      const hurrying = hurryDeliveries(
        pool,
        new DeliveryQueues(jobs),
        async () => isWriting || (await unfinished(pool)) > 0,
      );

      const troubling = (async () => {
        const troubles = [
          ...Array.from(
            { length: KILLS },
            () => () => installation.kill(installation.names[randomInt(installation.names.length)]!),
          ),
          ...Array.from({ length: RESTARTS }, () => () => installation.restartPostgres()),
          ...Array.from(
            { length: installation.redis === null ? 0 : RESTARTS },
            () => () => installation.restartRedis(),
          ),
        ];
        for (let left = troubles.length; left > 0; left -= 1) {
          const done = people.length;
          // Spread over the writing, so that each comes while there is something to lose.
          while (isWriting && people.length < done + (EVENTS - done) / (left + 1)) await wait(20);
          await troubles.splice(randomInt(troubles.length), 1)[0]!();
        }
      })();

      await Promise.all([writing, troubling, hurrying]);
      const rows = await persist(
        async () =>
          (
            await pool.query<DeliveryRow>(
              'select webhook_id, event_id, id, status, attempt_count, (select count(*)::integer from webhook_attempts a where a.delivery_id = d.id) as attempts from webhook_deliveries d',
            )
          ).rows,
      );
      const { rows: recorded } = await persist(() =>
        pool.query<{ count: number }>(`select count(*)::integer as count from events where type = 'PersonCreated'`),
      );
      expect([new Set(people).size, recorded[0]!.count]).toEqual([EVENTS, EVENTS]);
      expect(rows).toHaveLength(EVENTS * endpoints.length);
      for (const [index, endpoint] of endpoints.entries()) {
        const own = rows.filter((row) => row.webhook_id === endpoint);
        const requests = receivers[index]!.requests;
        const came = new Map(
          requests.map(({ headers, body }) => [
            headers['service-webhook-delivery-id'] as string,
            JSON.parse(body) as { id: string; data: { id: string } },
          ]),
        );
        // The oracle: one delivery for each person that a caller was told of, and every one of them came.
        expect(own.map((row) => came.get(row.id)?.data.id).sort()).toEqual([...people].sort());
        expect(new Set(own.map((row) => row.event_id)).size).toBe(EVENTS);
        for (const row of own) expect([row.id, came.get(row.id)?.id]).toEqual([row.id, row.event_id]);
        const failed = own.filter((row) => row.status === 'failed').map((row) => row.id);
        expect(failed.sort()).toEqual(index === 4 ? [...refuser.refused].sort() : []);
        expect(own.filter((row) => row.status !== 'delivered' && row.status !== 'failed')).toEqual([]);
        for (const row of own) expect([row.id, row.attempts]).toEqual([row.id, row.attempt_count]);
      }
      const { rows: states } = await persist(() =>
        pool.query<{ status: string }>('select distinct status from webhooks'),
      );
      expect(states).toEqual([{ status: 'active' }]);
    });
  },
);

async function unfinished(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select (select count(*) from webhook_deliveries where status in ('pending', 'retry_scheduled'))::integer
          + (select count(*) from webhooks w left join webhook_cursors c on c.webhook_id = w.id
              where exists (select from webhook_events e where e.organisation_id = w.organisation_id and e.position > greatest(c.position, w.activated_position)))::integer
          + (select count(*) from events where type = 'PersonCreated')::integer - (select count(*) from webhook_events)::integer as count`,
  );
  return rows[0]!.count;
}
