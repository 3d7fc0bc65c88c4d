import { type JsonObject, namedFields } from '#kernel/json.js';
import type { Executor } from '#projections/projection.js';
import {
  listProviderMappings,
  type MappingTerms,
  type ProviderMapping,
  type ProviderMappingRow,
  RESOURCE_TYPES,
  type ResourceType,
} from '#payroll/provider-mapping/provider-mapping.js';
import {
  ChangeProviderMapping,
  CreateProviderMapping,
  RemoveProviderMapping,
} from '#payroll/provider-mapping/provider-mapping.api.js';
import type { Call, Outcome } from '../declaration.js';
import { UsageError } from '../command-error.js';
import { withInstallation } from '../installation.js';
import { type CommandOf, sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation, requirePerson } from '../find-named.js';

const ROWS_AT_ONCE = 1_000;

/** `workforce provider-mappings create`. */
export function createMapping(call: Call): Promise<Outcome> {
  const { options } = call;
  return record(call, 'Created', async (context, executor) => {
    const type = options['resourceType'] as ResourceType;
    const mapping = {
      status: 'pending',
      last_synced_at: null,
      ...termsOf(options),
      provider_name: options['providerName'] as string,
      resource_type: type,
      resource_id: await resourceIdOf(executor, context.organisationId, type, options['resourceId'] as string),
    } as ProviderMapping;
    return new CreateProviderMapping(context, mapping);
  });
}

/** `workforce provider-mappings update`. */
export function updateMapping(call: Call): Promise<Outcome> {
  const changes = termsOf(call.options);
  if (Object.keys(changes).length === 0)
    throw new UsageError('Nothing to change: name at least one field; --help lists them.');
  return record(call, 'Changed', (context) => new ChangeProviderMapping(context, call.arguments[0]!, changes));
}

/** `workforce provider-mappings delete`. */
export function removeMapping(call: Call): Promise<Outcome> {
  return record(call, 'Removed', (context) => new RemoveProviderMapping(context, call.arguments[0]!));
}

/** `workforce provider-mappings list`. */
export function listMappings({ options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const { id: organisationId } = await requireOrganisation(pool, options['organisation'] as string);
    const mappings = await allMappings(
      pool,
      organisationId,
      (options['providerName'] as string | undefined)?.trim().toLowerCase() ?? null,
    );
    const rows = mappings.map((one) => [
      one.id,
      one.provider_name,
      one.resource_type,
      one.resource_id,
      one.external_id,
      one.status,
    ]);
    return {
      json: { provider_mappings: mappings.map(mappingJson) },
      text: textTable(['ID', 'PROVIDER', 'RESOURCE', 'RESOURCE ID', 'EXTERNAL ID', 'STATUS'], rows),
    };
  });
}

async function allMappings(
  executor: Executor,
  organisationId: string,
  providerName: string | null,
): Promise<readonly ProviderMappingRow[]> {
  const mappings: ProviderMappingRow[] = [];
  for (;;) {
    const last = mappings.at(-1);
    const after = last === undefined ? null : { createdAt: last.created_at.toISOString(), id: last.id };
    const rows = await listProviderMappings(executor, {
      organisationId,
      providerName,
      resourceTypes: RESOURCE_TYPES,
      after,
      count: ROWS_AT_ONCE,
    });
    mappings.push(...rows);
    if (rows.length < ROWS_AT_ONCE) return mappings;
  }
}

function record({ options }: Call, done: string, commandOf: CommandOf<ProviderMappingRow>): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, options['organisation'] as string);
    const mapping = await sendAsOperator(installation, organisation, commandOf);
    return {
      json: mappingJson(mapping),
      text: `${done} ${mapping.provider_name} ${mapping.external_id} for ${mapping.resource_type} ${mapping.resource_id} (${mapping.id}).`,
    };
  });
}

function termsOf(options: Call['options']): Partial<MappingTerms> {
  const synced = (options['lastSyncedAt'] as string | undefined)?.trim();
  const terms = {
    external_id: options['externalId'],
    status: options['status'],
    last_synced_at: synced === '' ? null : synced,
  };
  return namedFields(terms) as Partial<MappingTerms>;
}

async function resourceIdOf(
  executor: Executor,
  organisationId: string,
  type: ResourceType,
  named: string,
): Promise<string> {
  return type === 'person' ? (await requirePerson(executor, named, organisationId)).person_id : named;
}

function mappingJson({ last_synced_at, created_at, updated_at, ...rest }: ProviderMappingRow): JsonObject {
  return {
    ...rest,
    last_synced_at: last_synced_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}
