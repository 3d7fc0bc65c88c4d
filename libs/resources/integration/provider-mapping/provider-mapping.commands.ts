import type { DomainEvent } from '#kernel/aggregate.js';
import type { CommandContext } from '#commands/command-context.js';
import { dateTime } from '#http/fields.js';
import { problemOf } from '#http/fields/rules.js';
import type { IdMint } from '#identifiers/id-mint.js';
import { notFound, RejectedError } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import { holdReferences } from '#commands/locks/references.js';
import { commit, type UnitContext } from '#commands/unit-of-work.js';
import type { CommandServices } from '#commands/services.js';
import { handleCommand } from '#commands/handle-command.js';
import { requireNotErased, requirePersonKey } from '../../people/person/person-keys.js';
import { claimExternalId } from './external-ids.js';
import { findMappedResource, type FoundResource, wordOf } from './mapped-resources.js';
import { type MappingOwner, openMappingEvent, sealMappingEvent } from './mapping-seal.js';
import {
  decideProviderMapping,
  evolveProviderMapping,
  initialProviderMapping,
  type MappedResource,
  type MappingTerms,
  type ProviderMapping,
  providerMappingAggregate,
  type ProviderMappingCommand,
  type ProviderMappingState,
} from './provider-mapping.decider.js';
import { findProviderMapping, type ProviderMappingRow } from './provider-mapping.queries.js';
import { documentAggregate } from '../../people/document/document.decider.js';
import { personAggregate } from '../../people/person/person.decider.js';

/**
 * Creates the mapping of a resource to a provider's external id. The mapping's id derives from provider and resource, so the stream itself
 * ensures one mapping for each provider and resource. Throws {@link RejectedError}, also where the resource belongs to an erased person.
 */
export async function createProviderMapping(
  services: CommandServices,
  context: CommandContext,
  wanted: ProviderMapping,
): Promise<ProviderMappingRow> {
  const { organisationId } = context;
  const mapping = { ...normaliseTerms(wanted), provider_name: wanted.provider_name.trim().toLowerCase() } as ProviderMapping;
  const { provider_name, resource_type, external_id } = mapping;
  // Invalid fields are refused with their own messages, before anything is looked up.
  refuseSenseless({ type: 'create', mapping }, initialProviderMapping);
  const mappingId = mappingIdOf(services.mint, organisationId, mapping);
  return commit(services, context, async (within) => {
    await holdReferences(services, within, removableStreams(organisationId, mapping));
    const resource = await mappedResource(services, organisationId, mapping);
    if (resource === null || resource.isRemoved)
      throw new RejectedError(notFound('resource_id', `there is no such ${wordOf(resource_type)}`));
    const owner = await ownerOf(services, within, resource);
    await claimExternalId(services, within, { mappingId, provider_name, resource_type, external_id });
    await stage(services, within, mappingId, owner, { type: 'create', mapping });
    return ({ executor }) => reread(executor, organisationId, mappingId);
  });
}

/**
 * The streams of resources that can be removed for good, which a new mapping must not outlive. Archived resources of other kinds keep their
 * mappings and may get new ones.
 */
function removableStreams(organisationId: string, { resource_type, resource_id }: MappedResource): readonly string[] {
  return resource_type === 'document' ? [documentAggregate.streamOf(organisationId, resource_id)] : [];
}

/** Changes the external id of a mapping, or the state of its exchange. Throws {@link RejectedError}. */
export function changeProviderMapping(
  services: CommandServices,
  context: CommandContext,
  mappingId: string,
  wanted: Partial<MappingTerms>,
): Promise<ProviderMappingRow> {
  const { organisationId } = context;
  const changes = normaliseTerms(wanted);
  return commit(services, context, async (within) => {
    const { provider_name, resource_type, resource_id, ...terms } = await existing(services, organisationId, mappingId);
    const mapping = {
      provider_name,
      resource_type,
      resource_id,
      external_id: terms.external_id,
      status: terms.status,
      last_synced_at: null,
    };
    refuseSenseless({ type: 'change', changes }, { status: 'created', mapping });
    const owner = await ownerOf(services, within, await mappedResource(services, organisationId, mapping));
    const { external_id } = changes;
    if (external_id !== undefined) await claimExternalId(services, within, { mappingId, provider_name, resource_type, external_id });
    await stage(services, within, mappingId, owner, { type: 'change', changes });
    return ({ executor }) => reread(executor, organisationId, mappingId);
  });
}

/** Removes a mapping and releases its external id. Returns the mapping as it was. Throws {@link RejectedError}. */
export function removeProviderMapping(services: CommandServices, context: CommandContext, mappingId: string): Promise<ProviderMappingRow> {
  return commit(services, context, async (within) => {
    const row = await existing(services, context.organisationId, mappingId);
    await stage(services, within, mappingId, null, { type: 'remove' });
    return () => row;
  });
}

/** Removes a mapping with a unit of work, unless another command has removed it. */
export async function ensureRemoved(services: CommandServices, context: UnitContext, mappingId: string): Promise<void> {
  await stage(services, context, mappingId, null, { type: 'remove' }).catch((error: unknown) => {
    if (!(error instanceof RejectedError && error.rejection.kind === 'not_found')) throw error;
  });
}

/** The id of the mapping that a resource has, or would have, for a provider. */
export function mappingIdOf(mint: IdMint, organisationId: string, { provider_name, resource_type, resource_id }: MappedResource): string {
  return mint.prefixed('providerMapping', organisationId, 'mapping', provider_name, resource_type, resource_id);
}

function mappedResource(
  { executor }: CommandServices,
  organisationId: string,
  { resource_type, resource_id }: MappedResource,
): Promise<FoundResource | null> {
  return findMappedResource(executor, organisationId, resource_type, resource_id);
}

/**
 * The person whose key encrypts the external id, held so that the person cannot be erased in the meantime; null where the resource belongs
 * to no person. Throws {@link RejectedError} where the person was erased.
 */
async function ownerOf(services: CommandServices, context: UnitContext, resource: FoundResource | null): Promise<MappingOwner | null> {
  const { executor } = services;
  const { organisationId } = context;
  const personId = resource?.personId ?? null;
  if (personId === null) return null;
  await holdReferences(services, context, [personAggregate.streamOf(organisationId, personId)]);
  // An erasure destroys the key after its event; until then only the row shows the erasure.
  await requireNotErased(executor, organisationId, personId);
  return { personId, key: await requirePersonKey(executor, organisationId, personId) };
}

/** @param owner - may be null for a command that names no external id */
async function stage(
  services: CommandServices,
  context: UnitContext,
  mappingId: string,
  owner: MappingOwner | null,
  command: ProviderMappingCommand,
): Promise<void> {
  await handleCommand<ProviderMappingState, DomainEvent>(services.store, context, {
    stream: providerMappingAggregate.streamOf(context.organisationId, mappingId),
    initial: initialProviderMapping,
    evolve: (state, event) => evolveProviderMapping(state, openMappingEvent(event, owner?.key ?? null)),
    decide: (state) => {
      const decision = decideProviderMapping(command, state);
      return 'rejection' in decision ? decision : { events: decision.events.map((event) => sealMappingEvent(event, owner)) };
    },
    onConflict: 'decide_again',
    part: command.type,
  });
}

function refuseSenseless(command: ProviderMappingCommand, state: ProviderMappingState): void {
  const decision = decideProviderMapping(command, state);
  if ('rejection' in decision) throw new RejectedError(decision.rejection);
}

async function existing(services: CommandServices, organisationId: string, mappingId: string): Promise<ProviderMappingRow> {
  const row = await findProviderMapping(services.executor, organisationId, mappingId);
  if (row === null) throw new RejectedError(notFound('provider_mapping_id', 'there is no such provider mapping'));
  return row;
}

async function reread(executor: Executor, organisationId: string, mappingId: string): Promise<ProviderMappingRow> {
  const row = await findProviderMapping(executor, organisationId, mappingId);
  if (row === null) throw new Error(`provider mapping ${mappingId} was recorded and its row is missing`);
  return row;
}

/** Trims external ids and writes times in UTC. An invalid time stays for the rules to refuse. */
function normaliseTerms<Terms extends Partial<MappingTerms>>(terms: Terms): Terms {
  const { external_id: externalId, last_synced_at: lastSyncedAt } = terms;
  const isTime = typeof lastSyncedAt === 'string' && problemOf(dateTime, lastSyncedAt) === null;
  return {
    ...terms,
    ...(externalId === undefined ? {} : { external_id: externalId.trim() }),
    ...(isTime ? { last_synced_at: new Date(lastSyncedAt).toISOString() } : {}),
  };
}
