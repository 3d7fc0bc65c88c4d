import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import { entitiesOf } from '#projections/entities.js';
import type { Executor } from '#projections/projection.js';
import type { Projector } from '#projections/projector.js';

/**
 * The number of endpoint secrets that each version of the key ring encrypts; secrets from before the last
 * rotation count too.
 */
export async function countWebhookSecrets(executor: Executor): Promise<ReadonlyMap<number, number>> {
  const { rows } = await executor.query<{ version: number; count: number }>(
    `select substr(split_part(sealed, '.', 1), 2)::integer as version, count(*)::integer as count
       from webhooks, unnest(array[secret, previous_secret]) as sealed where status <> 'deleted' and sealed is not null
         group by 1`,
  );
  return new Map(rows.map(({ version, count }) => [version, count]));
}

/**
 * The same after every readable event of an endpoint is projected, because a command may have failed before
 * it projected.
 */
export async function countRecordedWebhookSecrets(services: {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly projector: Projector;
}): Promise<ReadonlyMap<number, number>> {
  const { pool, eventStore, projector } = services;
  const head = await eventStore.head();
  if (head !== null) {
    for await (const entity of entitiesOf(eventStore, ['webhook'], head))
      await projector.project(pool, [...entity.values()]);
  }
  return countWebhookSecrets(pool);
}

/**
 * The endpoints with a secret that the current version of the key ring does not encrypt, by organisation.
 *
 * @param version - the current version
 */
export async function findEndpointsToReseal(
  executor: Executor,
  version: number,
): Promise<readonly { readonly organisationId: string; readonly webhookId: string }[]> {
  const { rows } = await executor.query<{ organisation_id: string; id: string }>(
    `select organisation_id, id from webhooks
      where status <> 'deleted' and (not starts_with(secret, $1) or not starts_with(previous_secret, $1))
        order by organisation_id, id`,
    [`k${version}.`],
  );
  return rows.map(({ organisation_id: organisationId, id: webhookId }) => ({ organisationId, webhookId }));
}
