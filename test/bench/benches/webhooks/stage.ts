import { rebuild } from '#projections/rebuild/rebuild.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { peopleProjection } from '#resources/people/people/people.projection.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import { insertEndpoint } from '../../../support/webhooks/endpoint-rows.js';
import type { Child } from '../../children.js';
import type { Feed } from '../../children/feeder.js';
import { type Fixture, openFixture } from '../../fixture.js';
import { type Product, startProduct } from '../../sides/product.js';
import type { Setting } from '../setting.js';

/** Events on their way to an endpoint at most, of the 500 deliveries that may wait for it. */
export const IN_FLIGHT = 300;

/** The processes around one database. */
export interface Stage {
  readonly setting: Setting;
  readonly fixture: Fixture;
  readonly worker: Child;
  readonly receiver: Child;
  readonly feeder: Child;
  readonly receiverUrl: string;
}

/** Starts the processes over a database of its own, and ends them after the work. */
export async function onStage(setting: Setting, database: string, work: (stage: Stage) => Promise<unknown>): Promise<void> {
  const fixture = await openFixture(await setting.database(database));
  const [worker, receiver, feeder] = [setting.start('webhook-worker'), setting.start('receiver'), setting.start('feeder')];
  try {
    await work({ setting, fixture, worker, receiver, feeder, receiverUrl: await receiver.ask<string>('start') });
  } finally {
    for (const child of [feeder, worker, receiver]) await child.end();
    await fixture.close();
  }
}

/** Starts the API over the stage's database, as `workforce api` runs it. */
export async function startApi({ setting, fixture }: Stage): Promise<Product> {
  const { directory, options } = setting;
  return setting.keep(
    await startProduct({ command: ['api'], directory, environment: { DATABASE_URL: fixture.url }, profile: options.profile }),
  );
}

/** Projects the people that were recorded past the API. */
export function rebuildPeople({ pool }: Fixture): Promise<unknown> {
  return rebuild({ pool, eventStore: new PostgresEventStore(pool), clock: { now: () => new Date() } }, peopleProjection);
}

/** The paths of so many active endpoints, in place of those that were there; they get what is recorded from now on, or all. */
export async function openEndpoints(
  { fixture, receiverUrl }: Stage,
  endpoints: number,
  { fromBeginning = false } = {},
): Promise<readonly string[]> {
  const { pool, keys, surroundings } = fixture;
  await closeEndpoints(fixture);
  const secrets = new WebhookSecrets(keys.webhookSecrets);
  const activatedPosition = fromBeginning ? '' : ((await new PostgresEventStore(pool).head()) ?? '');
  return Promise.all(
    Array.from({ length: endpoints }, async (_, number) => {
      const id = fixture.mint.prefixed('webhook', surroundings.organisationId, `${Date.now()}`, String(number));
      await insertEndpoint(pool, {
        organisationId: surroundings.organisationId,
        id,
        url: receiverUrl + pathOf(number),
        secret: await secrets.seal(secrets.create(), id),
        activatedPosition,
      });
      return pathOf(number);
    }),
  );
}

/** Where an endpoint is at the receiver. */
export function pathOf(number: number): string {
  return `/endpoint-${number}`;
}

/** Nothing is sent to them any more, and nothing waits. */
export async function closeEndpoints({ pool }: Fixture): Promise<void> {
  await pool.query(`update webhooks set status = 'deleted'`);
  await pool.query(`delete from webhook_deliveries where status in ('pending', 'retry_scheduled')`);
}

/** Events for these endpoints, at a pace or as many as may be in progress. */
export function feedOf({ fixture, receiverUrl }: Stage, paths: readonly string[], perSecond: number | null): Feed {
  return { databaseUrl: fixture.url, surroundings: fixture.surroundings, receiverUrl, paths, inFlight: IN_FLIGHT, perSecond };
}

/** Waits. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

const POLL_MILLISECONDS = 20;
const TIMEOUT_MILLISECONDS = 60_000;

/** Resolves when the condition holds. Rejects after a minute: what is measured has come to a halt. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + TIMEOUT_MILLISECONDS;
  while (!(await condition())) {
    if (performance.now() > endsAt) throw new Error('deliveries have come to a halt');
    await pause(POLL_MILLISECONDS);
  }
}
