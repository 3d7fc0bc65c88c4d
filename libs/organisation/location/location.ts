import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { changesOf } from '#kernel/json.js';
import { nameKey, nameProblem } from '#kernel/names.js';
import { conflict, type Issue, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { defineTable, type Stored } from '#projections/table.js';
import { type PostalAddress, postalAddressProblem } from '../country/postal-address.js';

/** The fields of a location. */
export type Location = PostalAddress & {
  readonly label: string;
  /** The number of people for whom there is room; null where it is unknown. */
  readonly capacity: number | null;
};

// These names and fields are the storage format: add new ones, never rename or remove.
export type LocationEvent =
  | DomainEvent<'LocationCreated', Location>
  | DomainEvent<'LocationChanged', { changes: Partial<Location> }>
  | DomainEvent<'LocationDeactivated', Record<string, never>>
  | DomainEvent<'LocationReactivated', Record<string, never>>;

export type LocationState =
  { readonly status: 'none' } | { readonly status: 'active' | 'inactive'; readonly location: Location };

export const initialLocation: LocationState = { status: 'none' };

/** The state with one more event. */
export function evolveLocation(state: LocationState, event: LocationEvent): LocationState {
  if (event.type === 'LocationCreated') return { status: 'active', location: event.data };
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'LocationChanged':
      return { ...state, location: { ...state.location, ...event.data.changes } };
    case 'LocationDeactivated':
      return { ...state, status: 'inactive' };
    case 'LocationReactivated':
      return { ...state, status: 'active' };
    default:
      return unreachable(event);
  }
}

export type LocationCommand =
  | { readonly type: 'create'; readonly location: Location }
  | { readonly type: 'change'; readonly changes: Partial<Location> }
  | { readonly type: 'deactivate' }
  | { readonly type: 'reactivate' };

/**
 * What a command records, or why it is refused. A command that would not change the state records nothing.
 */
export function decideLocation(command: LocationCommand, state: LocationState): Decision<LocationEvent> {
  if (command.type === 'create') {
    const rejection = fieldsRejection(command.location);
    if (rejection !== null) return reject(rejection);
    if (state.status !== 'none') return reject(conflict('id', 'a location with this id exists already'));
    return accept({ type: 'LocationCreated', data: command.location });
  }
  if (state.status === 'none') return reject(notFound('location_id', 'there is no such location'));
  switch (command.type) {
    case 'change':
      return decideChange(command.changes, state.location);
    case 'deactivate':
      return state.status === 'inactive' ? accept() : accept({ type: 'LocationDeactivated', data: {} });
    case 'reactivate':
      return state.status === 'active' ? accept() : accept({ type: 'LocationReactivated', data: {} });
    default:
      return unreachable(command);
  }
}

function decideChange(named: Partial<Location>, location: Location): Decision<LocationEvent> {
  const rejection = fieldsRejection(named);
  if (rejection !== null) return reject(rejection);
  const changes = changesOf(named, location);
  return changes === null ? accept() : accept({ type: 'LocationChanged', data: { changes } });
}

const MAX_CAPACITY = 1_000_000;

/** The issues of all named fields. */
export function locationIssues(fields: Partial<Location>): readonly Issue[] {
  return Object.entries(fields).flatMap(([field, value]) => {
    const problem = value === undefined ? null : fieldProblem(field as keyof Location, value);
    return problem === null ? [] : [{ field, issue: problem }];
  });
}

function fieldsRejection(fields: Partial<Location>): Rejection | null {
  const details = locationIssues(fields);
  return details.length === 0 ? null : { kind: 'invalid_request', message: details[0]!.issue, details };
}

function fieldProblem(field: keyof Location, value: string | number | null): string | null {
  switch (field) {
    case 'label':
      return nameProblem(String(value ?? ''));
    case 'capacity':
      return value === null || isCapacity(value) ? null : `must be a whole number from 0 to ${MAX_CAPACITY}`;
    default:
      return postalAddressProblem(field, value === null ? null : String(value));
  }
}

function isCapacity(value: string | number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_CAPACITY;
}

export const locationAggregate = defineAggregate({
  category: 'location',
  idKind: 'location',
  initial: initialLocation,
  evolve: evolveLocation,
});

type Columns = Location & { readonly is_active: boolean };

/** A row of `locations`. */
export type LocationRow = Stored<Columns>;

/** Locations, the inactive ones included. */
export const locationTable = defineTable<Columns>()(locationAggregate, {
  name: 'locations',
  columns: {
    label: 'value',
    address_line_1: 'value',
    address_line_2: 'value',
    address_line_3: 'value',
    city: 'value',
    region_state: 'value',
    postal_code: 'value',
    country_code: 'value',
    capacity: 'value',
    is_active: 'value',
  },
  row: ({ location, status }) => ({ ...location, is_active: status === 'active' }),
  lookUps: { name_key: ({ label }) => nameKey(label) },
  naming: { column: 'label', isArchived: 'not is_active' },
  order: 'name_key, id',
});

/** `name_key` is the label in the form that look-ups compare, see `kernel/names.ts`. */
export const LOCATIONS_SCHEMA = `
create table locations (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  label text not null,
  name_key text collate "C" not null,
  address_line_1 text not null,
  address_line_2 text,
  address_line_3 text,
  city text not null,
  region_state text not null,
  postal_code text not null,
  country_code text not null,
  capacity integer,
  is_active boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index locations_by_label on locations (organisation_id, name_key);
`;
