import { WrongExpectedRevisionError } from '#event-store/event-store.js';
import { conflict, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import type { CommandServices } from '#commands/execute.js';
import { personKeyOf } from '../../people/person/person-keys.js';
import { openMappingEvent, ownerOfStream } from './mapping-seal.js';
import {
  evolveProviderMapping,
  initialProviderMapping,
  type MappedResource,
  providerMappingAggregate,
  type ProviderMappingState,
  type ResourceType,
} from './provider-mapping.decider.js';

/** The age at which a reservation that led to no mapping may be taken over: no command runs as long. */
const STALE_RESERVATION = '5 minutes';

/** An external id and the mapping for which it is reserved. */
export interface ExternalIdReservation extends Pick<MappedResource, 'provider_name' | 'resource_type'> {
  readonly organisationId: string;
  readonly mappingId: string;
  readonly external_id: string;
}

interface Holder {
  readonly mapping_id: string;
  readonly is_stale: boolean;
  readonly since: string;
}

/**
 * Does the work while this external id is reserved for the mapping, so that no two resources of a kind have the same external id of a
 * provider. The reservation is made in PostgreSQL before the append, confirmed when the mapping is projected, and released where the work
 * is refused; after an unknown outcome it stays. Throws {@link RejectedError} where another mapping has the external id.
 */
export async function withExternalId<T>(services: CommandServices, wanted: ExternalIdReservation, work: () => Promise<T>): Promise<T> {
  const since = await reserve(services, wanted);
  try {
    return await work();
  } catch (error) {
    if (error instanceof RejectedError || error instanceof WrongExpectedRevisionError) await release(services, wanted, since);
    throw error;
  }
}

const valuesOf = (wanted: ExternalIdReservation): readonly string[] => [
  wanted.organisationId,
  wanted.provider_name,
  wanted.resource_type,
  wanted.external_id,
];

const SAME = 'organisation_id = $1 and provider_name = $2 and resource_type = $3 and external_id = $4';

/** Reserves the external id; returns the time since which it is the mapping's. */
async function reserve(services: CommandServices, wanted: ExternalIdReservation): Promise<string> {
  for (;;) {
    const { rows: own } = await services.executor.query<{ since: string }>(
      `insert into provider_external_ids as r (organisation_id, provider_name, resource_type, external_id, mapping_id) values ($1, $2, $3, $4, $5)
       on conflict (organisation_id, provider_name, resource_type, external_id) do update set reserved_at = clock_timestamp()
        where r.mapping_id = excluded.mapping_id
       returning reserved_at::text as since`,
      [...valuesOf(wanted), wanted.mappingId],
    );
    if (own[0] !== undefined) return own[0].since;
    const { rows } = await services.executor.query<Holder>(
      `select mapping_id, not is_confirmed and reserved_at < clock_timestamp() - $5::interval as is_stale, reserved_at::text as since
         from provider_external_ids where ${SAME}`,
      [...valuesOf(wanted), STALE_RESERVATION],
    );
    // Without a holder, another command has released it in the meantime.
    if (rows[0] === undefined) continue;
    if (!rows[0].is_stale || (await uses(services, { ...wanted, mappingId: rows[0].mapping_id }))) {
      throw new RejectedError(conflict('external_id', 'another mapping of this provider has this external id'));
    }
    await remove(services, wanted, rows[0].mapping_id, rows[0].since);
  }
}

async function release(services: CommandServices, wanted: ExternalIdReservation, since: string): Promise<void> {
  if (!(await uses(services, wanted))) await remove(services, wanted, wanted.mappingId, since);
}

/** Removes a reservation that no command has confirmed or renewed since. */
async function remove(services: CommandServices, wanted: ExternalIdReservation, mappingId: string, since: string): Promise<void> {
  await services.executor.query(
    `delete from provider_external_ids where ${SAME} and mapping_id = $5 and not is_confirmed and reserved_at = $6::timestamptz`,
    [...valuesOf(wanted), mappingId, since],
  );
}

/** Whether the mapping has this external id according to its own stream. */
async function uses(
  services: CommandServices,
  { organisationId, mappingId, external_id: externalId }: ExternalIdReservation,
): Promise<boolean> {
  const events = await services.store.readStream(providerMappingAggregate.streamOf(organisationId, mappingId));
  const owner = ownerOfStream(events);
  const key = owner === null ? null : await personKeyOf(services.executor, organisationId, owner);
  const state = events.reduce<ProviderMappingState>(
    (folded, event) => evolveProviderMapping(folded, openMappingEvent(event, key)),
    initialProviderMapping,
  );
  return state.status === 'created' && state.mapping.external_id === externalId;
}

/**
 * Releases the reservations of these mappings, whatever the outcome of the commands that made them: for an erasure, after which no command
 * records one of these mappings.
 */
export async function releaseExternalIds(executor: Executor, organisationId: string, mappingIds: readonly string[]): Promise<void> {
  await executor.query('delete from provider_external_ids where organisation_id = $1 and mapping_id = any($2::text[])', [
    organisationId,
    mappingIds,
  ]);
}

/** The names of the providers with reservations for resources of this kind. */
export async function reservedProviders(
  executor: Executor,
  organisationId: string,
  resourceType: ResourceType,
): Promise<readonly string[]> {
  const text = 'select distinct provider_name from provider_external_ids where organisation_id = $1 and resource_type = $2';
  const { rows } = await executor.query<{ provider_name: string }>(text, [organisationId, resourceType]);
  return rows.map((row) => row.provider_name);
}
