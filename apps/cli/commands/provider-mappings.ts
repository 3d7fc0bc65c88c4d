import {
  ChangeProviderMapping,
  CreateProviderMapping,
  RemoveProviderMapping,
} from '#payroll/provider-mapping/provider-mapping.api.js';
import {
  listProviderMappings,
  MAPPING_STATUSES,
  type MappingTerms,
  type ProviderMapping,
  type ProviderMappingRow,
  RESOURCE_TYPES,
} from '#payroll/provider-mapping/provider-mapping.js';
import { command } from '../command.js';
import type { Outcome } from '../declaration.js';
import { requirePerson } from '../find-named.js';
import { argument, choice, clearable, fieldsOf, NOTHING_TO_CHANGE, ORGANISATION, required, text } from '../options.js';
import { listOf } from '../text-table.js';

const ROWS_AT_ONCE = 1_000;

const MAPPING = argument('id of the mapping');
const STATE = {
  status: choice('<status>', 'state of the synchronisation (default for a new mapping: pending)', MAPPING_STATUSES),
  last_synced_at: clearable('<date-time>', 'ISO 8601 with an offset; empty for never', (time) => time.trim()),
};
const TERMS = { external_id: text('<id>', 'id of the resource at the provider'), ...STATE };

/** `workforce provider-mappings …`. */
export const commands = {
  create: command({
    description: 'record the id that a provider uses for a resource',
    options: {
      organisation: ORGANISATION,
      provider_name: required(text('<provider>', 'the provider, such as xero')),
      resource_type: required(choice('<type>', 'type of the resource', RESOURCE_TYPES)),
      resource_id: required(text('<id>', 'id of the resource; a person may be named by work e-mail or staff id too')),
      external_id: required(text('<id>', 'id of the resource at the provider; not an e-mail address of a person')),
      ...STATE,
    },
    run: async (given, { pool, send }) => {
      const { organisation, provider_name, resource_type, resource_id: named } = given;
      const isPerson = resource_type === 'person';
      const resource_id = isPerson ? (await requirePerson(pool, named, organisation.id)).person_id : named;
      const initial = { status: 'pending', last_synced_at: null };
      const mapping = { ...initial, ...termsOf(given), provider_name, resource_type, resource_id } as ProviderMapping;
      return outcomeOf('Created', await send((context) => new CreateProviderMapping(context, mapping)));
    },
  }),
  update: command({
    description: 'change a mapping',
    arguments: { mapping: MAPPING },
    options: { organisation: ORGANISATION, ...TERMS },
    changes: NOTHING_TO_CHANGE,
    run: async (given, { send }) =>
      outcomeOf('Changed', await send((context) => new ChangeProviderMapping(context, given.mapping, termsOf(given)))),
  }),
  delete: command({
    description: 'delete a mapping',
    alias: 'remove',
    arguments: { mapping: MAPPING },
    options: { organisation: ORGANISATION },
    run: async ({ mapping }, { send }) =>
      outcomeOf('Removed', await send((context) => new RemoveProviderMapping(context, mapping))),
  }),
  list: command({
    description: 'list mappings',
    options: {
      organisation: ORGANISATION,
      provider_name: text('<provider>', 'only the mappings of this provider'),
    },
    run: async ({ organisation, provider_name: provider }, { pool }) => {
      const mappings: ProviderMappingRow[] = [];
      for (let page: readonly ProviderMappingRow[] | null = null; page === null || page.length === ROWS_AT_ONCE;) {
        const last = mappings.at(-1);
        page = await listProviderMappings(pool, {
          organisationId: organisation.id,
          providerName: provider?.trim().toLowerCase() ?? null,
          resourceTypes: RESOURCE_TYPES,
          after: last === undefined ? null : { createdAt: last.created_at.toISOString(), id: last.id },
          count: ROWS_AT_ONCE,
        });
        mappings.push(...page);
      }
      const columns = {
        ID: 'id',
        PROVIDER: 'provider_name',
        RESOURCE: 'resource_type',
        'RESOURCE ID': 'resource_id',
        'EXTERNAL ID': 'external_id',
        STATUS: 'status',
      } as const;
      return listOf('provider_mappings', mappings, columns, present);
    },
  }),
};

function termsOf(given: object): Partial<MappingTerms> {
  return fieldsOf(given, TERMS) as Partial<MappingTerms>;
}

function outcomeOf(done: string, mapping: ProviderMappingRow): Outcome {
  const { id, provider_name: provider, external_id: externalId, resource_type: type, resource_id: resource } = mapping;
  return { json: present(mapping), text: `${done} ${provider} ${externalId} for ${type} ${resource} (${id}).` };
}

function present({ last_synced_at, created_at, updated_at, ...rest }: ProviderMappingRow): object {
  return { ...rest, last_synced_at, created_at, updated_at };
}
