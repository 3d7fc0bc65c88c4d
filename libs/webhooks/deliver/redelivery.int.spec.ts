import { inTransaction } from '#database/transaction.js';
import { IdMint } from '#identifiers/id-mint.js';
import { databaseForSpec } from '../../../test/support/postgres.js';
import { insertEndpoint, insertEvents } from '../../../test/support/webhooks/endpoint-rows.js';
import { type DeliveryKey, redeliver, type Redelivered } from './delivery-changes.js';
import { type AttemptResult, claim, type Claimed, record } from './delivery-store.js';
import { queueForOrganisation } from '../publish/queue-deliveries.js';

const MINT = new IdMint(Buffer.alloc(32, 7));
/** Each round races this many requests for one delivery. */
const REQUESTS = 10;
const ROUNDS = 200;
const FAILURES = [
  { outcome: 'failed', httpStatus: 404, failureClass: 'http_non_retryable', failureMessage: 'HTTP 404', pauseMs: null },
  { outcome: 'failed', httpStatus: 503, failureClass: 'http_retryable', failureMessage: 'HTTP 503', pauseMs: 60_000 },
] as const;

const database = databaseForSpec();
describe(`${REQUESTS} redeliveries of one delivery at once`, () => {
  it('reset it once, and the worker that is told of it claims it at once', async () => {
    const endpoint = { organisationId: MINT.prefixed('organisation', '', 'one'), webhookId: 'endpoint' };
    await insertEndpoint(database.pool, { organisationId: endpoint.organisationId, id: endpoint.webhookId });
    await insertEvents(database.pool, endpoint.organisationId, 1, 1);
    const { due } = await queueForOrganisation(database.pool, MINT, endpoint.organisationId, { mayStop: true });
    const key: DeliveryKey = { ...endpoint, deliveryId: due[0]!.deliveryId };
    let [claimed] = await take(key);
    for (let round = 0; round < ROUNDS; round += 1) {
      await record(database.pool, [
        {
          claimed: claimed!,
          durationMs: 1,
          exchange: '',
          ...FAILURES[round % FAILURES.length]!,
        } satisfies AttemptResult,
      ]);
      // The tenth failure of an activation would stop the endpoint.
      await database.pool.query('delete from webhook_stops');
      let taken: readonly Claimed[] = [];
      const outcomes = await Promise.all(
        Array.from({ length: REQUESTS }, async (): Promise<Redelivered> => {
          const outcome = await inTransaction(database.pool, (connection) => redeliver(connection, key));
          // Like the API: the request that reset it notifies a worker while the others are in flight.
          if (outcome === 'reset') taken = await take(key);
          return outcome;
        }),
      );
      expect([...outcomes].sort()).toEqual([...Array.from({ length: REQUESTS - 1 }, () => 'not_allowed'), 'reset']);
      expect([round, taken.length]).toEqual([round, 1]);
      [claimed] = taken;
    }
  });
});

async function take({ organisationId, webhookId, deliveryId }: DeliveryKey): Promise<readonly Claimed[]> {
  return (await claim(database.pool, [{ organisationId, webhookId, deliveryIds: [deliveryId] }]))[0]!;
}
