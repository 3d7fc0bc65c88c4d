import type { CommandContext } from '#commands/command-context.js';
import type { Executor } from '#projections/projection.js';
import type { CommandServices } from '#commands/execute.js';
import { releaseExternalIds, reservedProviders } from './external-id-reservations.js';
import { ensureRemoved, mappingIdOf } from './provider-mapping.commands.js';
import type { MappedResource, ResourceType } from './provider-mapping.decider.js';

type Resource = Pick<MappedResource, 'resource_type' | 'resource_id'>;

/** SQL for a person and their resources that may be mapped. */
const RESOURCES = `select 'person' as resource_type, $2 as resource_id
  union all select 'document', id from documents where organisation_id = $1 and person_id = $2
  union all select 'time_off', id from time_off where organisation_id = $1 and person_id = $2`;

/**
 * Removes every mapping of a person and of their resources, for an erasure, because external ids could identify them. Also releases the
 * reservations of commands that did not complete.
 */
export async function removeMappingsOfPerson(services: CommandServices, context: CommandContext, personId: string): Promise<void> {
  const { organisationId } = context;
  const { rows: mapped } = await services.executor.query<{ id: string }>(
    `select m.id from provider_mappings m join (${RESOURCES}) r using (resource_type, resource_id) where m.organisation_id = $1 and m.removed_at is null order by m.id`,
    [organisationId, personId],
  );
  for (const { id } of mapped) await ensureRemoved(services, context, id);
  await releaseExternalIds(services.executor, organisationId, await possibleMappings(services, organisationId, personId));
}

/** The ids of the mappings that they would have for each provider with reservations. */
async function possibleMappings({ executor, mint }: CommandServices, organisationId: string, personId: string): Promise<readonly string[]> {
  const { rows: resources } = await executor.query<Resource>(RESOURCES, [organisationId, personId]);
  const providers = await providersByType(executor, organisationId, resources);
  return resources.flatMap((resource) =>
    providers.get(resource.resource_type)!.map((provider_name) => mappingIdOf(mint, organisationId, { ...resource, provider_name })),
  );
}

async function providersByType(
  executor: Executor,
  organisationId: string,
  resources: readonly Resource[],
): Promise<ReadonlyMap<ResourceType, readonly string[]>> {
  const providers = new Map<ResourceType, readonly string[]>();
  for (const type of new Set(resources.map((resource) => resource.resource_type)))
    providers.set(type, await reservedProviders(executor, organisationId, type));
  return providers;
}
