import type { UnitContext } from '#commands/unit-of-work.js';
import { allOf, prepared, raw, sql } from '#database/sql.js';
import { dateTime } from '#http/fields.js';
import { problemOf } from '#http/fields/rules.js';
import type { CreationCursor } from '#http/pages.js';
import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { ERASED } from '#kernel/erasure.js';
import { choice, defineFields, orNull, text, type ValuesOf } from '#kernel/field-list.js';
import { changesOf, type Json, type JsonObject } from '#kernel/json.js';
import { isBlank, lineProblem } from '#kernel/plain-text.js';
import { conflict, invalid, notFound, RejectedError, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { openJson, sealJson } from '#people/person/person-seal.js';
import { oneRowProjection } from '#projections/one-row-table.js';
import type { Executor, Stream } from '#projections/projection.js';

/** The kinds of resources that may be mapped. */
export const RESOURCE_TYPES = [
  'person',
  'org_unit',
  'location',
  'work_place',
  'work_type',
  'working_pattern',
  'time_off',
  'time_off_category',
  'document',
  'document_type',
] as const;
export type ResourceType = (typeof RESOURCE_TYPES)[number];

/** The state of the exchange: not run yet, working, failed at the last run, or disabled. */
export const MAPPING_STATUSES = ['pending', 'active', 'error', 'disabled'] as const;

const PROVIDER_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const MAX_EXTERNAL_ID_LENGTH = 255;
const STORED_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/** The fields of a mapping. Inside an event they are the storage format: never rename or remove one. */
export const PROVIDER_MAPPING = defineFields({
  provider_name: text({
    normalise: (provider) => provider.trim().toLowerCase(),
    problem: (provider) =>
      PROVIDER_NAME.test(provider)
        ? null
        : 'must have 1 to 64 letters, digits, dots, hyphens and underscores, such as xero',
    isFixed: true,
    maximumLength: 64,
    description: 'In lower case.',
    example: 'xero',
    option: ['<provider>', 'the provider, such as xero'],
  }),
  resource_type: choice(RESOURCE_TYPES, { isFixed: true, option: ['<type>', 'type of the resource'] }),
  resource_id: text({
    isFixed: true,
    problem: (id) => (id === '' ? 'is required' : null),
    description: 'The id that responses show for such resources.',
    example: '7k2m9qx4hz1c',
    option: ['<id>', 'id of the resource; a person may be named by work e-mail or staff id too'],
  }),
  // Case-sensitive.
  external_id: text({
    normalise: (id) => id.trim(),
    problem: externalIdProblem,
    description: "The provider's id of the resource.",
    example: 'EMP-00417',
    option: ['<id>', 'id of the resource at the provider; not an e-mail address of a person'],
  }),
  status: choice(MAPPING_STATUSES, {
    initial: 'pending',
    option: ['<status>', 'state of the synchronisation (default for a new mapping: pending)'],
    description: 'pending: not exchanged yet; error: the last time failed; disabled: not exchanged.',
  }),
  // ISO 8601 in UTC with milliseconds; null before the first time.
  last_synced_at: orNull(
    text({
      normalise: (time) => (problemOf(dateTime, time.trim()) === null ? new Date(time.trim()).toISOString() : time),
      problem: (time) =>
        STORED_TIME.test(time) ? null : 'must be an ISO 8601 date-time with an offset, such as 2026-01-31T09:30:00Z',
      option: ['<date-time>', 'ISO 8601 with an offset; empty for never'],
    }),
  ),
});

export type ProviderMapping = ValuesOf<typeof PROVIDER_MAPPING.fields>;
/** The fields of a mapping that never change: a different resource or provider means a different mapping. */
export type MappedResource = Pick<ProviderMapping, 'provider_name' | 'resource_type' | 'resource_id'>;
/** The fields of a mapping that may change. */
export type MappingTerms = Omit<ProviderMapping, keyof MappedResource>;

// These names and fields are the storage format: add new ones, never rename or remove.
export type ProviderMappingEvent =
  | DomainEvent<'ProviderMappingCreated', ProviderMapping>
  | DomainEvent<'ProviderMappingChanged', { readonly changes: Partial<MappingTerms> }>
  | DomainEvent<'ProviderMappingRemoved', Record<string, never>>;

export type ProviderMappingState =
  { readonly status: 'none' } | { readonly status: 'created' | 'removed'; readonly mapping: ProviderMapping };

export const initialProviderMapping: ProviderMappingState = { status: 'none' };

/** The state with one more event. */
export function evolveProviderMapping(state: ProviderMappingState, event: ProviderMappingEvent): ProviderMappingState {
  if (event.type === 'ProviderMappingCreated') return { status: 'created', mapping: event.data };
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'ProviderMappingChanged':
      return { ...state, mapping: { ...state.mapping, ...event.data.changes } };
    case 'ProviderMappingRemoved':
      return { ...state, status: 'removed' };
    default:
      return unreachable(event);
  }
}

export type ProviderMappingCommand =
  | { readonly type: 'create'; readonly mapping: ProviderMapping }
  | { readonly type: 'change'; readonly changes: Partial<MappingTerms> }
  | { readonly type: 'remove' };

/** The events of a command, or the reason for its refusal. A removed mapping can be created again. */
export function decideProviderMapping(
  command: ProviderMappingCommand,
  state: ProviderMappingState,
): Decision<ProviderMappingEvent> {
  if (command.type === 'create') {
    const rejection = rejectionOf(command.mapping, command.mapping.resource_type);
    if (rejection !== null) return reject(rejection);
    if (state.status === 'created') return reject(conflict('resource_id', 'this provider has a mapping of it already'));
    return accept({ type: 'ProviderMappingCreated', data: command.mapping });
  }
  if (state.status !== 'created') return reject(notFound('provider_mapping_id', 'there is no such provider mapping'));
  switch (command.type) {
    case 'change':
      return decideChange(command.changes, state.mapping);
    case 'remove':
      return accept({ type: 'ProviderMappingRemoved', data: {} });
    default:
      return unreachable(command);
  }
}

function decideChange(named: Partial<MappingTerms>, mapping: ProviderMapping): Decision<ProviderMappingEvent> {
  const rejection = rejectionOf(named, mapping.resource_type);
  if (rejection !== null) return reject(rejection);
  const changes = changesOf<MappingTerms>(named, mapping);
  return changes === null ? accept() : accept({ type: 'ProviderMappingChanged', data: { changes } });
}

function rejectionOf(fields: Partial<ProviderMapping>, resourceType: ResourceType): Rejection | null {
  // A key that may read mappings may lack the right to read addresses, so an external id must not identify
  // the person.
  const isAddress = resourceType === 'person' && fields.external_id?.includes('@') === true;
  return (
    PROVIDER_MAPPING.rejection(fields) ??
    (isAddress ? invalid('external_id', "must be the provider's own id of the person, not an e-mail address") : null)
  );
}

function externalIdProblem(externalId: string): string | null {
  if (isBlank(externalId)) return 'must not be blank';
  if ([...externalId].length > MAX_EXTERNAL_ID_LENGTH)
    return `must be at most ${MAX_EXTERNAL_ID_LENGTH} characters long`;
  return lineProblem(externalId);
}

export const providerMappingAggregate = defineAggregate({
  category: 'provider-mapping',
  idKind: 'providerMapping',
  initial: initialProviderMapping,
  evolve: evolveProviderMapping,
});

/**
 * The read table of provider mappings, and the external ids that are taken (`external-ids.ts`). A removed
 * mapping keeps its row, with `removed_at` and an empty external id, and is in no response.
 */
export const PROVIDER_MAPPINGS_SCHEMA = `
create table provider_mappings (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  provider_name text collate "C" not null,
  resource_type text collate "C" not null,
  resource_id text collate "C" not null,
  external_id text not null,
  status text not null,
  last_synced_at timestamptz(3),
  removed_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index provider_mappings_in_order_of_creation on provider_mappings (organisation_id, created_at, id) where removed_at is null;
create index provider_mappings_of_provider on provider_mappings (organisation_id, provider_name, created_at, id) where removed_at is null;

create table provider_external_ids (
  organisation_id text collate "C" not null,
  provider_name text collate "C" not null,
  resource_type text collate "C" not null,
  external_id text collate "C" not null,
  mapping_id text collate "C" not null,
  is_confirmed boolean not null default false,
  reserved_at timestamptz not null default clock_timestamp(),
  primary key (organisation_id, provider_name, resource_type, external_id)
);
create index provider_external_ids_of_mapping on provider_external_ids (organisation_id, mapping_id);
`;

/** An external id and the mapping that claims it. */
export interface ExternalIdClaim extends Pick<MappedResource, 'provider_name' | 'resource_type'> {
  readonly mappingId: string;
  readonly external_id: string;
}

/**
 * Reserves an external id for a mapping in the unit of work: no two resources of a kind may have the same
 * external id of a provider. The reservation is a row under a unique index, so a concurrent unit of work with
 * the same id waits for this one. Throws {@link RejectedError} if another mapping has the external id; the
 * unit of work throws it too, if another one reserves the id first.
 */
export async function claimExternalId(
  { executor }: { readonly executor: Executor },
  context: UnitContext,
  requested: ExternalIdClaim,
): Promise<void> {
  const { provider_name, resource_type, external_id, mappingId } = requested;
  const values = [context.organisationId, provider_name, resource_type, external_id, mappingId];
  await refuseOthers(executor, values);
  context.unit.claim(async (connection) => {
    await connection.query(
      `insert into provider_external_ids (organisation_id, provider_name, resource_type, external_id, mapping_id)
        values ($1, $2, $3, $4, $5)
       on conflict do nothing`,
      values,
    );
    await refuseOthers(connection, values);
  });
}

async function refuseOthers(executor: Executor, values: readonly string[]): Promise<void> {
  const { rowCount } = await executor.query(
    `select from provider_external_ids
      where organisation_id = $1 and provider_name = $2 and resource_type = $3 and external_id = $4
        and mapping_id <> $5`,
    [...values],
  );
  if (rowCount !== 0)
    throw new RejectedError(conflict('external_id', 'another mapping of this provider has this external id'));
}

/** The person whose key encrypts the external id of a resource: the resource is or belongs to this person. */
export interface MappingOwner {
  readonly personId: string;
  readonly key: Buffer;
}

/**
 * The stored form of an event: the external id is encrypted if the resource belongs to a person, because it
 * could identify them.
 */
export function sealMappingEvent(event: ProviderMappingEvent, owner: MappingOwner | null): DomainEvent {
  if (owner === null || event.type === 'ProviderMappingRemoved') return event;
  const seal = ({ external_id: externalId, ...rest }: JsonObject): JsonObject =>
    externalId === undefined ? rest : { ...rest, sealed_external_id: sealJson(externalId, owner.key) };
  const data = event.type === 'ProviderMappingCreated' ? seal(event.data) : { changes: seal(event.data.changes) };
  return { type: event.type, data: { ...data, person_id: owner.personId } };
}

/**
 * The event in the decider's form; without the key, after erasure, an encrypted external id reads
 * `[erased]`.
 */
export function openMappingEvent(
  { type, data: { person_id: _, ...data } }: DomainEvent,
  key: Buffer | null,
): ProviderMappingEvent {
  const open = ({ sealed_external_id: sealed, ...rest }: JsonObject): JsonObject =>
    sealed === undefined ? rest : { ...rest, external_id: openExternalId(sealed, key) };
  return {
    type,
    data: type === 'ProviderMappingChanged' ? { changes: open(data['changes'] as JsonObject) } : open(data),
  } as ProviderMappingEvent;
}

/**
 * The person whose key decrypts a mapping's stream; null if the resource belongs to no person, and for
 * mappings recorded before external ids were encrypted.
 */
function ownerOfStream(stream: Stream): string | null {
  const sealed = stream.find(({ data }) => typeof data['person_id'] === 'string');
  return sealed === undefined ? null : (sealed.data['person_id'] as string);
}

function openExternalId(sealed: Json, key: Buffer | null): string {
  return key === null ? ERASED : (openJson(sealed as string, key) as string);
}

/**
 * Reserves the external id if the row of the command is missing, and releases the mapping's former ones.
 */
const EXTERNAL_IDS = `
taken as (
  insert into provider_external_ids (organisation_id, provider_name, resource_type, external_id, mapping_id)
  select i.organisation_id, i.provider_name, i.resource_type, i.external_id, i.id
    from input i join head using (organisation_id, id)
   where i.removed_at is null and i.external_id <> '${ERASED}'
   order by 1, 2, 3, 4
  on conflict do nothing
),
released as (
  delete from provider_external_ids r using input i join head using (organisation_id, id)
   where r.organisation_id = i.organisation_id and r.mapping_id = i.id and (r.external_id <> i.external_id
     or i.removed_at is not null)
)`;

/** Provider mappings; removed ones are included, but without their external id. */
export const providerMappingProjection = oneRowProjection(providerMappingAggregate, {
  table: 'provider_mappings',
  columns: [...Object.keys(PROVIDER_MAPPING.columns), 'removed_at'],
  besideLive: EXTERNAL_IDS,
  sealed: { personOf: ownerOfStream, open: openMappingEvent },
  row: (state, stream) => {
    if (state.status === 'removed') return { ...state.mapping, external_id: '', removed_at: stream.at(-1)!.recordedAt };
    return { ...state.mapping, removed_at: null };
  },
});

/** A row of `provider_mappings`. */
export interface ProviderMappingRow extends Omit<ProviderMapping, 'last_synced_at'> {
  readonly id: string;
  /** The revision of the mapping's stream. */
  readonly revision: number;
  readonly last_synced_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The start of a page of mappings, in the order of creation. */
export interface ProviderMappingPage {
  readonly organisationId: string;
  /** Null for the mappings of all providers. */
  readonly providerName: string | null;
  /** Mappings of other kinds of resource are left out. */
  readonly resourceTypes: readonly ResourceType[];
  /** The last row of the previous page. */
  readonly after: CreationCursor | null;
  /** Rows to fetch. */
  readonly count: number;
}

const COLUMNS = ['id', 'revision', ...Object.keys(PROVIDER_MAPPING.columns), 'created_at', 'updated_at'].join(', ');

/** Condition of existing mappings, for statements whose first parameter is the organisation. */
const EXISTS = 'organisation_id = $1 and removed_at is null';

/** A page of mappings. */
export async function listProviderMappings(
  executor: Executor,
  page: ProviderMappingPage,
): Promise<readonly ProviderMappingRow[]> {
  const { organisationId, resourceTypes, providerName, after, count } = page;
  const conditions = [
    sql`organisation_id = ${organisationId} and removed_at is null`,
    sql`resource_type = any(${resourceTypes}::text[])`,
  ];
  if (providerName !== null) conditions.push(sql`provider_name = ${providerName}`);
  if (after !== null) conditions.push(sql`(created_at, id) > (${after.createdAt}, ${after.id})`);
  const { rows } = await executor.query<ProviderMappingRow>(
    prepared(
      sql`select ${raw(COLUMNS)} from provider_mappings where ${allOf(conditions)}
        order by created_at, id limit ${count}`,
    ),
  );
  return rows;
}

/** The mapping; null if this organisation has none with this id, or it was removed. */
export async function findProviderMapping(
  executor: Executor,
  organisationId: string,
  mappingId: string,
): Promise<ProviderMappingRow | null> {
  const { rows } = await executor.query<ProviderMappingRow>(
    `select ${COLUMNS} from provider_mappings where ${EXISTS} and id = $2`,
    [organisationId, mappingId],
  );
  return rows[0] ?? null;
}
