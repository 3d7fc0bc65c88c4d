import type { CommandContext } from '#commands/command-context.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { ensureRemoved } from './provider-mapping.commands.js';

/** SQL for a person and their resources that may be mapped. */
const RESOURCES = `select 'person' as resource_type, $2 as resource_id
  union all select 'document', id from documents where organisation_id = $1 and person_id = $2
  union all select 'time_off', id from time_off where organisation_id = $1 and person_id = $2`;

/** Removes every mapping of a person and of their resources, for an erasure, because external ids could identify them. */
export function removeMappingsOfPerson(services: CommandServices, context: CommandContext, personId: string): Promise<void> {
  return commit(services, context, async (within) => {
    const { rows: mapped } = await services.executor.query<{ id: string }>(
      `select m.id from provider_mappings m join (${RESOURCES}) r using (resource_type, resource_id) where m.organisation_id = $1 and m.removed_at is null order by m.id`,
      [context.organisationId, personId],
    );
    for (const { id } of mapped) await ensureRemoved(services, within, id);
    return () => undefined;
  });
}
