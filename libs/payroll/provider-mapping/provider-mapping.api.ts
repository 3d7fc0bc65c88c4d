import { Controller, Get, Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { revisionTag } from '#commands/execute.js';
import { assertMatches, handleCommand } from '#commands/handle-command.js';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { lockReferences } from '#commands/locks/references.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { CommandServices } from '#commands/services.js';
import { commit, type UnitContext } from '#commands/unit-of-work.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { DateTimeField, IdField, TextField } from '#http/fields.js';
import { answerFields, shapeOf } from '#http/fields/plain-fields.js';
import { Operation, Receive } from '#http/operation.js';
import { byCreatedAt, PageQuery, readPage } from '#http/pages.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import { notFound, RejectedError } from '#kernel/rejection.js';
import type { Scope } from '#kernel/scopes.js';
import { documentAggregate } from '#people/document/document.js';
import { personErased } from '#people/erasure/erasure-policy.js';
import { requireNotErased, requirePersonKey } from '#people/person/person-keys.js';
import { personAggregate } from '#people/person/person.js';
import type { Executor } from '#projections/projection.js';
import {
  claimExternalId,
  decideProviderMapping,
  evolveProviderMapping,
  findProviderMapping,
  initialProviderMapping,
  listProviderMappings,
  type MappedResource,
  type MappingOwner,
  type MappingTerms,
  openMappingEvent,
  PROVIDER_MAPPING,
  PROVIDER_MAPPINGS_SCHEMA,
  type ProviderMapping,
  providerMappingAggregate,
  type ProviderMappingCommand,
  providerMappingProjection,
  type ProviderMappingRow,
  type ProviderMappingState,
  RESOURCE_TYPES,
  type ResourceType,
  sealMappingEvent,
} from './provider-mapping.js';

/** The properties of a kind of resource that may be mapped. */
interface MappedKind {
  /**
   * The scope that a key needs in addition to provider_mappings:read to see its mappings (contract part 4).
   */
  readonly scope: Scope;
  readonly word: string;
  /**
   * SQL that selects the resource with the id `$2` of the organisation `$1`: its `person_id` if it belongs to
   * a person, `is_removed` if it can be removed.
   */
  readonly find: string;
}

const inTable = (table: string, columns = ''): string =>
  `select ${columns} from ${table} where organisation_id = $1 and id = $2`;

const KINDS: Readonly<Record<ResourceType, MappedKind>> = {
  person: {
    scope: 'people:read',
    word: 'person',
    find: `select person_id from people where organisation_id = $1 and person_id = $2
      and identity_revision is not null`,
  },
  org_unit: { scope: 'org_units:read', word: 'org unit', find: inTable('org_units') },
  location: { scope: 'organisation:read', word: 'location', find: inTable('locations') },
  work_place: { scope: 'reference:read', word: 'work place', find: inTable('work_places') },
  work_type: { scope: 'reference:read', word: 'work type', find: inTable('work_types') },
  working_pattern: { scope: 'working_patterns:read', word: 'working pattern', find: inTable('working_patterns') },
  time_off: { scope: 'time_off:read', word: 'time-off record', find: inTable('time_off', 'person_id') },
  time_off_category: { scope: 'reference:read', word: 'time-off category', find: inTable('time_off_categories') },
  document: {
    scope: 'documents:read',
    word: 'document',
    find: inTable('documents', 'person_id, removed_at is not null as is_removed'),
  },
  document_type: { scope: 'reference:read', word: 'document type', find: inTable('document_types') },
};

/** The kinds of resource whose mappings a key with these scopes may see, in a fixed order. */
function readableTypes(scopes: ReadonlySet<Scope>): readonly ResourceType[] {
  return RESOURCE_TYPES.filter((type) => scopes.has(KINDS[type].scope));
}

/** The name of a kind of resource in messages. */
function wordOf(type: ResourceType): string {
  return KINDS[type].word;
}

/** A resource that may be mapped. */
export interface FoundResource {
  /** The person that it is or belongs to; null if it belongs to no person. */
  readonly personId: string | null;
  /** Whether it was removed: responses do not contain it, but its mappings may still be changed. */
  readonly isRemoved: boolean;
}

/** The resource, even if archived or removed; null if the organisation has none with this id. */
async function findMappedResource(
  executor: Executor,
  organisationId: string,
  type: ResourceType,
  id: string,
): Promise<FoundResource | null> {
  const { rows } = await executor.query<{ person_id?: string; is_removed?: boolean }>({
    name: `mapped-${type}`,
    text: KINDS[type].find,
    values: [organisationId, id],
  });
  return rows[0] === undefined ? null : { personId: rows[0].person_id ?? null, isRemoved: rows[0].is_removed ?? false };
}

type ProviderMappingShown = ProviderMapping & {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
};

/** A provider's external id of a resource, and the state of their exchange. */
class ProviderMappingResponse extends shapeOf<ProviderMappingShown>({
  id: IdField('providerMapping'),
  ...answerFields(PROVIDER_MAPPING, {
    last_synced_at: DateTimeField({ nullable: true, description: 'Null before the first time.' }),
  }),
  created_at: DateTimeField(),
  updated_at: DateTimeField(),
}) {}

class ProviderMappingsQuery extends PageQuery {
  @TextField({
    minimumLength: 1,
    maximumLength: 64,
    optional: true,
    description: 'Only mappings of this provider, whatever the case of its name.',
    example: 'xero',
  })
  readonly provider_name?: string;
}

/**
 * Creates the mapping of a resource to a provider's external id. The mapping's id derives from provider and
 * resource, so the stream itself ensures one mapping for each provider and resource. Throws
 * {@link RejectedError}, also if the resource belongs to an erased person.
 */
export async function createProviderMapping(
  services: CommandServices,
  context: CommandContext,
  requested: ProviderMapping,
): Promise<ProviderMappingRow> {
  const { organisationId } = context;
  const mapping = PROVIDER_MAPPING.normalise(requested) as ProviderMapping;
  const { provider_name, resource_type, external_id } = mapping;
  // Invalid fields are refused with their own messages, before anything is looked up.
  refuseInvalid({ type: 'create', mapping }, initialProviderMapping);
  const mappingId = mappingIdOf(services.mint, organisationId, mapping);
  return commit(services, context, async (within) => {
    await lockReferences(services, within, removableStreams(organisationId, mapping));
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
 * The streams of resources that can be removed, to which no mapping may be added at the same time. Archived
 * resources of other kinds keep their mappings and may get new ones.
 */
function removableStreams(organisationId: string, { resource_type, resource_id }: MappedResource): readonly string[] {
  return resource_type === 'document' ? [documentAggregate.streamOf(organisationId, resource_id)] : [];
}

/**
 * Changes the external id of a mapping, or the state of its exchange; `ifMatch`: the entity tags that the
 * caller expects. Throws {@link RejectedError}, and 412 if the mapping has another tag.
 */
export function changeProviderMapping(
  services: CommandServices,
  context: CommandContext,
  mappingId: string,
  requested: Partial<MappingTerms>,
  ifMatch: readonly string[] | null = null,
): Promise<ProviderMappingRow> {
  const { organisationId } = context;
  const changes = PROVIDER_MAPPING.normalise(requested);
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
    refuseInvalid({ type: 'change', changes }, { status: 'created', mapping });
    const owner = await ownerOf(services, within, await mappedResource(services, organisationId, mapping));
    const { external_id } = changes;
    if (external_id !== undefined)
      await claimExternalId(services, within, { mappingId, provider_name, resource_type, external_id });
    await stage(services, within, mappingId, owner, { type: 'change', changes }, ifMatch);
    return ({ executor }) => reread(executor, organisationId, mappingId);
  });
}

/**
 * Removes a mapping and releases its external id. Returns the removed mapping. Throws {@link RejectedError}.
 */
export function removeProviderMapping(
  services: CommandServices,
  context: CommandContext,
  mappingId: string,
): Promise<ProviderMappingRow> {
  return commit(services, context, async (within) => {
    const row = await existing(services, context.organisationId, mappingId);
    await stage(services, within, mappingId, null, { type: 'remove' });
    return () => row;
  });
}

/** Removes a mapping with a unit of work, unless another command has removed it. */
async function ensureRemoved(services: CommandServices, context: UnitContext, mappingId: string): Promise<void> {
  await stage(services, context, mappingId, null, { type: 'remove' }).catch((error: unknown) => {
    if (!(error instanceof RejectedError && error.rejection.kind === 'not_found')) throw error;
  });
}

/** The id of the mapping that a resource has, or would have, for a provider. */
function mappingIdOf(
  mint: IdMint,
  organisationId: string,
  { provider_name, resource_type, resource_id }: MappedResource,
): string {
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
 * The person whose key encrypts the external id, held so that the person cannot be erased in the meantime;
 * null if the resource belongs to no person. Throws {@link RejectedError} if the person was erased.
 */
async function ownerOf(
  services: CommandServices,
  context: UnitContext,
  resource: FoundResource | null,
): Promise<MappingOwner | null> {
  const { executor } = services;
  const { organisationId } = context;
  const personId = resource?.personId ?? null;
  if (personId === null) return null;
  await lockReferences(services, context, [personAggregate.streamOf(organisationId, personId)]);
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
  ifMatch: readonly string[] | null = null,
): Promise<void> {
  await handleCommand<ProviderMappingState, DomainEvent>(services.store, context, {
    stream: providerMappingAggregate.streamOf(context.organisationId, mappingId),
    initial: initialProviderMapping,
    evolve: (state, event) => evolveProviderMapping(state, openMappingEvent(event, owner?.key ?? null)),
    decide: (state, revision) => {
      if (revision !== null) assertMatches(ifMatch, revisionTag({ revision }));
      const decision = decideProviderMapping(command, state);
      return 'rejection' in decision
        ? decision
        : { events: decision.events.map((event) => sealMappingEvent(event, owner)) };
    },
    onConflict: ifMatch === null ? 'decide_again' : 'refuse',
    part: command.type,
  });
}

function refuseInvalid(command: ProviderMappingCommand, state: ProviderMappingState): void {
  const decision = decideProviderMapping(command, state);
  if ('rejection' in decision) throw new RejectedError(decision.rejection);
}

async function existing(
  services: CommandServices,
  organisationId: string,
  mappingId: string,
): Promise<ProviderMappingRow> {
  const row = await findProviderMapping(services.executor, organisationId, mappingId);
  if (row === null) throw new RejectedError(notFound('provider_mapping_id', 'there is no such provider mapping'));
  return row;
}

async function reread(executor: Executor, organisationId: string, mappingId: string): Promise<ProviderMappingRow> {
  const row = await findProviderMapping(executor, organisationId, mappingId);
  if (row === null) throw new Error(`provider mapping ${mappingId} was recorded and its row is missing`);
  return row;
}

/** SQL for a person and their resources that may be mapped. */
const RESOURCES = `select 'person' as resource_type, $2 as resource_id
  union all select 'document', id from documents where organisation_id = $1 and person_id = $2
  union all select 'time_off', id from time_off where organisation_id = $1 and person_id = $2`;

/**
 * Removes every mapping of a person and of their resources, for an erasure, because external ids could
 * identify them.
 */
function removeMappingsOfPerson(services: CommandServices, context: CommandContext, personId: string): Promise<void> {
  return commit(services, context, async (within) => {
    const { rows: mapped } = await services.executor.query<{ id: string }>(
      `select m.id from provider_mappings m join (${RESOURCES}) r using (resource_type, resource_id)
        where m.organisation_id = $1 and m.removed_at is null order by m.id`,
      [context.organisationId, personId],
    );
    for (const { id } of mapped) await ensureRemoved(services, within, id);
    return () => undefined;
  });
}

export class CreateProviderMapping extends Command<ProviderMappingRow> {
  constructor(
    readonly context: CommandContext,
    readonly mapping: ProviderMapping,
  ) {
    super();
  }
}

export class ChangeProviderMapping extends Command<ProviderMappingRow> {
  constructor(
    readonly context: CommandContext,
    readonly mappingId: string,
    readonly changes: Partial<MappingTerms>,
    readonly ifMatch: readonly string[] | null = null,
  ) {
    super();
  }
}

export class RemoveProviderMapping extends Command<ProviderMappingRow> {
  constructor(
    readonly context: CommandContext,
    readonly mappingId: string,
  ) {
    super();
  }
}

@CommandHandler(CreateProviderMapping)
class CreateProviderMappingHandler implements ICommandHandler<CreateProviderMapping> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, mapping }: CreateProviderMapping): Promise<ProviderMappingRow> {
    return createProviderMapping(this.services, context, mapping);
  }
}

@CommandHandler(ChangeProviderMapping)
class ChangeProviderMappingHandler implements ICommandHandler<ChangeProviderMapping> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, mappingId, changes, ifMatch }: ChangeProviderMapping): Promise<ProviderMappingRow> {
    return changeProviderMapping(this.services, context, mappingId, changes, ifMatch);
  }
}

@CommandHandler(RemoveProviderMapping)
class RemoveProviderMappingHandler implements ICommandHandler<RemoveProviderMapping> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, mappingId }: RemoveProviderMapping): Promise<ProviderMappingRow> {
    return removeProviderMapping(this.services, context, mappingId);
  }
}

@Controller('provider-mappings')
class ProviderMappingController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly cursors: CursorCodec,
  ) {}

  @Get()
  @Operation({
    operationId: 'listProviderMappings',
    summary: 'List provider mappings',
    description:
      'In the order of creation. In addition to provider_mappings:read, each mapping needs the read scope of its ' +
      'resource, and is left out without it: people:read (person), org_units:read (org_unit), working_patterns:read ' +
      '(working_pattern), organisation:read (location), time_off:read (time_off), documents:read (document), ' +
      'reference:read (work_place, work_type, time_off_category, document_type).',
    tags: ['Provider mappings'],
    scope: 'provider_mappings:read',
    capability: 'provider_mappings.list',
    query: ProviderMappingsQuery,
    response: ProviderMappingResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, ProviderMappingsQuery>): Promise<Answer> {
    const providerName = call.query.provider_name?.trim().toLowerCase() ?? null;
    const organisationId = call.key.organisation.id;
    const resourceTypes = readableTypes(call.key.scopes);
    const filters = { provider_name: providerName, resource_types: resourceTypes };
    const request = { organisationId, filters, query: call.query };
    const { rows, nextCursor } = await readPage(
      this.cursors,
      byCreatedAt('listProviderMappings'),
      request,
      (after, count) => listProviderMappings(this.pool, { organisationId, providerName, resourceTypes, after, count }),
    );
    return { data: rows, nextCursor };
  }
}

/** The ids that providers use for the resources of an organisation. */
export const providerMappingResource = defineResource({
  area: 'integration',
  aggregates: [providerMappingAggregate],
  projections: [providerMappingProjection],
  schema: PROVIDER_MAPPINGS_SCHEMA,
  policies: [personErased.policy(removeMappingsOfPerson)],
  controllers: [ProviderMappingController],
  handlers: [CreateProviderMappingHandler, ChangeProviderMappingHandler, RemoveProviderMappingHandler],
});
