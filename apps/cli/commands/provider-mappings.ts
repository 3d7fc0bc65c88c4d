import {
  ChangeProviderMapping,
  CreateProviderMapping,
  RemoveProviderMapping,
} from '#payroll/provider-mapping/provider-mapping.api.js';
import {
  listProviderMappings,
  type MappingTerms,
  PROVIDER_MAPPING,
  type ProviderMapping,
  type ProviderMappingRow,
  RESOURCE_TYPES,
} from '#payroll/provider-mapping/provider-mapping.js';
import { requirePerson } from '../find-named.js';
import { ALL_ROWS, argument, text } from '../options.js';
import { optionsOf, resourceCommands } from '../resource-commands.js';

const { list, create, update, step } = resourceCommands<ProviderMappingRow>({
  argument: { mapping: argument('id of the mapping') },
  options: optionsOf(PROVIDER_MAPPING),
  member: 'provider_mappings',
  columns: {
    ID: 'id',
    PROVIDER: 'provider_name',
    RESOURCE: 'resource_type',
    'RESOURCE ID': 'resource_id',
    'EXTERNAL ID': 'external_id',
    STATUS: 'status',
  },
  words: ({ provider_name: provider, external_id: externalId, resource_type: type, resource_id: resource, id }) =>
    `${provider} ${externalId} for ${type} ${resource} (${id})`,
});

/** `workforce provider-mappings …`. */
export const commands = {
  create: create(
    'record the id that a provider uses for a resource',
    async (context, mapping: ProviderMapping, { organisation: { id } }, executor) => {
      const { resource_type: type, resource_id: named } = mapping;
      const resource_id = type === 'person' ? (await requirePerson(executor, named, id)).person_id : named;
      return new CreateProviderMapping(context, { ...mapping, resource_id });
    },
  ),
  update: update(
    'change a mapping',
    (context, id, changes: Partial<MappingTerms>) => new ChangeProviderMapping(context, id, changes),
  ),
  delete: step('delete a mapping', 'Removed', (context, id) => new RemoveProviderMapping(context, id), 'remove'),
  list: list(
    'list mappings',
    (executor, organisationId, { provider_name: named }) => {
      const providerName = (named as string | undefined)?.trim().toLowerCase() ?? null;
      const of = { organisationId, providerName, resourceTypes: RESOURCE_TYPES };
      return listProviderMappings(executor, { ...of, ...ALL_ROWS });
    },
    { provider_name: text('<provider>', 'only the mappings of this provider') },
  ),
};
