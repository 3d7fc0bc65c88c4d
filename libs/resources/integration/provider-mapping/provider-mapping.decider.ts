import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { changesOf } from '#kernel/json.js';
import { isBlank, lineProblem } from '#kernel/plain-text.js';
import { conflict, type Issue, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';

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

/** The state of the exchange: waits for its first run, runs, failed last time, or is switched off. */
export const MAPPING_STATUSES = ['pending', 'active', 'error', 'disabled'] as const;
export type MappingStatus = (typeof MAPPING_STATUSES)[number];

/** The fields of a mapping that never change: a different resource or provider means a different mapping. */
export type MappedResource = {
  /** Lower case, such as `xero`. */
  readonly provider_name: string;
  readonly resource_type: ResourceType;
  readonly resource_id: string;
};

/** The fields of a mapping that may change. */
export type MappingTerms = {
  /** The provider's id of the resource; compared with case. */
  readonly external_id: string;
  readonly status: MappingStatus;
  /** ISO 8601 in UTC with milliseconds; null before the first time. */
  readonly last_synced_at: string | null;
};

export type ProviderMapping = MappedResource & MappingTerms;

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

/** What a command records, or why it is refused. A removed mapping can be created again. */
export function decideProviderMapping(command: ProviderMappingCommand, state: ProviderMappingState): Decision<ProviderMappingEvent> {
  if (command.type === 'create') {
    const rejection = fieldsRejection(command.mapping, command.mapping.resource_type);
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
  const rejection = fieldsRejection(named, mapping.resource_type);
  if (rejection !== null) return reject(rejection);
  const changes = changesOf<MappingTerms>(named, mapping);
  return changes === null ? accept() : accept({ type: 'ProviderMappingChanged', data: { changes } });
}

function fieldsRejection(fields: Partial<ProviderMapping>, resourceType: ResourceType): Rejection | null {
  const details = Object.entries(fields).flatMap(([field, value]): readonly Issue[] => {
    const issue = value === undefined ? null : fieldProblem(field as keyof ProviderMapping, value, resourceType);
    return issue === null ? [] : [{ field, issue }];
  });
  return details.length === 0 ? null : { kind: 'invalid_request', message: details[0]!.issue, details };
}

const PROVIDER_NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const LONGEST_EXTERNAL_ID = 255;
const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

function fieldProblem(field: keyof ProviderMapping, value: string | null, resourceType: ResourceType): string | null {
  switch (field) {
    case 'provider_name':
      return PROVIDER_NAME.test(String(value)) ? null : 'must have 1 to 64 letters, digits, dots, hyphens and underscores, such as xero';
    case 'resource_type':
      return oneOf(RESOURCE_TYPES, value);
    case 'resource_id':
      return value === null || value === '' ? 'is required' : null;
    case 'external_id':
      return externalIdProblem(value ?? '', resourceType);
    case 'status':
      return oneOf(MAPPING_STATUSES, value);
    case 'last_synced_at':
      return value === null || DATE_TIME.test(value) ? null : 'must be an ISO 8601 date-time with an offset, such as 2026-01-31T09:30:00Z';
    default:
      return unreachable(field);
  }
}

function oneOf(values: readonly string[], value: string | null): string | null {
  return value !== null && values.includes(value) ? null : `must be one of: ${values.join(', ')}`;
}

function externalIdProblem(externalId: string, resourceType: ResourceType): string | null {
  if (isBlank(externalId)) return 'must not be blank';
  if ([...externalId].length > LONGEST_EXTERNAL_ID) return `must be at most ${LONGEST_EXTERNAL_ID} characters long`;
  const problem = lineProblem(externalId);
  if (problem !== null) return problem;
  // A key that may read mappings may lack the right to read addresses, so an external id must not identify the person.
  if (resourceType === 'person' && externalId.includes('@')) return "must be the provider's own id of the person, not an e-mail address";
  return null;
}

export const providerMappingAggregate = defineAggregate({
  category: 'provider-mapping',
  idKind: 'providerMapping',
  initial: initialProviderMapping,
  evolve: evolveProviderMapping,
});
