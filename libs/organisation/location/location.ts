import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { defineFields, integer, name, orNull, type ValuesOf } from '#kernel/field-list.js';
import { changesOf } from '#kernel/json.js';
import { nameKey } from '#kernel/names.js';
import { conflict, notFound } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { defineTable, type Stored } from '#projections/table.js';
import { POSTAL_ADDRESS } from '../country/postal-address.js';

/** The fields of a location. Inside an event they are the storage format: never rename or remove one. */
export const LOCATION = defineFields({
  label: name({
    example: 'London office',
    csv: ['name', 'location', 'location name', 'office', 'site'],
    option: ['<label>', 'its name'],
  }),
  ...POSTAL_ADDRESS.fields,
  capacity: orNull(
    integer({
      minimum: 0,
      maximum: 1_000_000,
      description: 'The number of people for whom there is room.',
      example: 40,
      answers: { maximum: Number.MAX_SAFE_INTEGER },
      csv: ['seats'],
      option: ['<people>', 'number of people who fit in; empty if unknown'],
    }),
  ),
});

export type Location = ValuesOf<typeof LOCATION.fields>;

// These names are the storage format: add new ones, never rename or remove.
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
 * The events of a command, or the reason for its refusal. A command that would not change the state records
 * nothing.
 */
export function decideLocation(command: LocationCommand, state: LocationState): Decision<LocationEvent> {
  if (command.type === 'create') {
    const rejection = LOCATION.rejection(command.location);
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
  const rejection = LOCATION.rejection(named);
  if (rejection !== null) return reject(rejection);
  const changes = changesOf(named, location);
  return changes === null ? accept() : accept({ type: 'LocationChanged', data: { changes } });
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

/** Locations, including inactive ones. */
export const locationTable = defineTable<Columns>()(locationAggregate, {
  name: 'locations',
  columns: { ...LOCATION.columns, is_active: 'value' },
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
