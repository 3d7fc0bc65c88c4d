import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import type { EventStore } from '#event-store/event-store.js';
import { entitiesOf } from '#projections/entities.js';
import type { Executor } from '#projections/projection.js';
import type { Projector } from '#projections/projector.js';
import { resealWebhookSecrets, type WebhookServices } from './webhook.commands.js';

/** How many secrets of endpoints each version of the key ring encrypts; secrets from before the last rotation count too. */
export async function countWebhookSecrets(executor: Executor): Promise<ReadonlyMap<number, number>> {
  const { rows } = await executor.query<{ version: number; count: number }>(
    `select substr(split_part(sealed, '.', 1), 2)::integer as version, count(*)::integer as count
       from webhooks, unnest(array[secret, previous_secret]) as sealed where status <> 'deleted' and sealed is not null group by 1`,
  );
  return new Map(rows.map(({ version, count }) => [version, count]));
}

/** The same after every readable event of an endpoint is projected, because a command may have failed before it projected. */
export async function countRecordedWebhookSecrets(services: {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly projector: Projector;
}): Promise<ReadonlyMap<number, number>> {
  const { pool, eventStore, projector } = services;
  const head = await eventStore.head();
  if (head !== null) {
    for await (const entity of entitiesOf(eventStore, ['webhook'], head)) await projector.project(pool, [...entity.values()]);
  }
  return countWebhookSecrets(pool);
}

/** The dependencies of encrypting the secrets of endpoints again. */
export interface ResealServices extends Omit<WebhookServices, 'urls'> {
  readonly contextOf: (organisationId: string) => CommandContext;
}

/**
 * Encrypts the secrets of all endpoints with the present version of the key ring, one endpoint after the other. Safe to run again after an
 * interruption. Returns the number of endpoints that were encrypted again.
 *
 * @param version - the present version, which encrypts
 */
export async function resealAllWebhookSecrets(
  services: ResealServices,
  version: number,
  onProgress: (done: number) => void,
): Promise<number> {
  const { rows } = await services.executor.query<{ organisation_id: string; id: string }>(
    `select organisation_id, id from webhooks
      where status <> 'deleted' and (not starts_with(secret, $1) or not starts_with(previous_secret, $1)) order by organisation_id, id`,
    [`k${version}.`],
  );
  let resealed = 0;
  for (const [index, { organisation_id: organisationId, id }] of rows.entries()) {
    if (await resealWebhookSecrets(services, services.contextOf(organisationId), id)) resealed += 1;
    onProgress(index + 1);
  }
  return resealed;
}
