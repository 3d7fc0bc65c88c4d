import type { Executor } from '#projections/projection.js';
import { conflict, RejectedError } from '#kernel/rejection.js';
import type { UnitContext } from '#commands/unit-of-work.js';
import type { MappedResource } from './provider-mapping.decider.js';

/** An external id and the mapping that wants it. */
export interface WantedExternalId extends Pick<MappedResource, 'provider_name' | 'resource_type'> {
  readonly mappingId: string;
  readonly external_id: string;
}

/**
 * Makes an external id the mapping's own with the unit of work, so that no two resources of a kind have the same external id of a provider:
 * with a row under a unique index, for which another unit of work waits that wants the same. Throws {@link RejectedError} where another
 * mapping has the external id; so does the unit of work where another one was faster.
 */
export async function claimExternalId(
  { executor }: { readonly executor: Executor },
  context: UnitContext,
  wanted: WantedExternalId,
): Promise<void> {
  const { provider_name, resource_type, external_id, mappingId } = wanted;
  const values = [context.organisationId, provider_name, resource_type, external_id, mappingId];
  await refuseOthers(executor, values);
  context.unit.claim(async (connection) => {
    await connection.query(
      `insert into provider_external_ids (organisation_id, provider_name, resource_type, external_id, mapping_id) values ($1, $2, $3, $4, $5)
       on conflict do nothing`,
      values,
    );
    await refuseOthers(connection, values);
  });
}

async function refuseOthers(executor: Executor, values: readonly string[]): Promise<void> {
  const { rowCount } = await executor.query(
    `select from provider_external_ids
      where organisation_id = $1 and provider_name = $2 and resource_type = $3 and external_id = $4 and mapping_id <> $5`,
    [...values],
  );
  if (rowCount !== 0) throw new RejectedError(conflict('external_id', 'another mapping of this provider has this external id'));
}
