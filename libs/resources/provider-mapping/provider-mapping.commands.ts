import type { CommandContext } from '#event-store/command-context.js';
import { dateTime } from '#http/fields.js';
import { problemOf } from '#http/fields/problem.js';
import { notFound, RejectedError } from '#kernel/rejection.js';
import { type CommandServices, runCommand } from '../aggregate/run-command.js';
import { mappingStream, withExternalId } from './external-id-reservations.js';
import { resourceExists, wordOf } from './mapped-resources.js';
import {
  decideProviderMapping,
  evolveProviderMapping,
  initialProviderMapping,
  type MappingTerms,
  type ProviderMapping,
  type ProviderMappingCommand,
  type ProviderMappingEvent,
  type ProviderMappingState,
} from './provider-mapping.decider.js';
import { findProviderMapping, type ProviderMappingRow } from './provider-mapping.queries.js';

/**
 * Says what a provider calls a resource. The id derives from provider and resource, so that the stream is the reservation:
 * a resource has one mapping a provider. Throws {@link RejectedError}.
 */
export async function createProviderMapping(services: CommandServices, context: CommandContext, wanted: ProviderMapping): Promise<ProviderMappingRow> {
  const { organisationId } = context;
  const mapping = { ...tidyTerms(wanted), provider_name: wanted.provider_name.trim().toLowerCase() } as ProviderMapping;
  const { provider_name, resource_type, resource_id, external_id } = mapping;
  // What has no sense is refused in its own words before anything is looked up or reserved.
  refuseSenseless({ type: 'create', mapping }, initialProviderMapping);
  if (!(await resourceExists(services.executor, organisationId, resource_type, resource_id))) {
    throw new RejectedError(notFound('resource_id', `there is no such ${wordOf(resource_type)}`));
  }
  const mappingId = services.mint.prefixed('providerMapping', organisationId, 'mapping', provider_name, resource_type, resource_id);
  const reservation = { organisationId, mappingId, provider_name, resource_type, external_id };
  await withExternalId(services, reservation, () => run(services, context, mappingId, { type: 'create', mapping }));
  return reread(services, organisationId, mappingId);
}

/** Changes what a provider calls a resource, or how their exchange stands. Throws {@link RejectedError}. */
export async function changeProviderMapping(
  services: CommandServices,
  context: CommandContext,
  mappingId: string,
  wanted: Partial<MappingTerms>,
): Promise<ProviderMappingRow> {
  const { organisationId } = context;
  const changes = tidyTerms(wanted);
  const { provider_name, resource_type, resource_id, ...terms } = await existing(services, organisationId, mappingId);
  const mapping = { provider_name, resource_type, resource_id, external_id: terms.external_id, status: terms.status, last_synced_at: null };
  refuseSenseless({ type: 'change', changes }, { status: 'created', mapping });
  const work = (): Promise<void> => run(services, context, mappingId, { type: 'change', changes });
  const external_id = changes.external_id;
  await (external_id === undefined ? work() : withExternalId(services, { organisationId, mappingId, provider_name, resource_type, external_id }, work));
  return reread(services, organisationId, mappingId);
}

/** Removes a mapping; its external id is free again. Gives it as it was. Throws {@link RejectedError}. */
export async function removeProviderMapping(services: CommandServices, context: CommandContext, mappingId: string): Promise<ProviderMappingRow> {
  const row = await existing(services, context.organisationId, mappingId);
  await run(services, context, mappingId, { type: 'remove' });
  return row;
}

async function run(services: CommandServices, context: CommandContext, mappingId: string, command: ProviderMappingCommand): Promise<void> {
  await runCommand<ProviderMappingState, ProviderMappingEvent>(services, context, {
    stream: mappingStream(context.organisationId, mappingId),
    initial: initialProviderMapping,
    evolve: evolveProviderMapping,
    decide: (state) => decideProviderMapping(command, state),
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

async function reread(services: CommandServices, organisationId: string, mappingId: string): Promise<ProviderMappingRow> {
  const row = await findProviderMapping(services.executor, organisationId, mappingId);
  if (row === null) throw new Error(`provider mapping ${mappingId} was recorded and its row is missing`);
  return row;
}

/** External ids without white space around them; times in UTC. What is no time is left for the rules to refuse. */
function tidyTerms<Terms extends Partial<MappingTerms>>(terms: Terms): Terms {
  const { external_id: externalId, last_synced_at: lastSyncedAt } = terms;
  const isTime = typeof lastSyncedAt === 'string' && problemOf(dateTime, lastSyncedAt) === null;
  return {
    ...terms,
    ...(externalId === undefined ? {} : { external_id: externalId.trim() }),
    ...(isTime ? { last_synced_at: new Date(lastSyncedAt).toISOString() } : {}),
  };
}
