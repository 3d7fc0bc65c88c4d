import type { Migration } from '#database/migrations.js';
import { accept, type Decision, defineAggregate, type DomainEvent, partsOfStream, reject } from '#kernel/aggregate.js';
import { EARLIEST_DATE, isLocalDate, LATEST_DATE, type LocalDate } from '#kernel/dates.js';
import { invalid, notFound } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { manyRowsOfPerson } from '#people/person/rows-of-people.js';
import type { Projection, Row, Stream, StreamProjection } from '#projections/projection.js';
import type { Upsert } from '#projections/upsert.js';

/**
 * The data to which a marker refers. A marker never contains the data: it records that it is present or
 * changed in the system that stores it.
 */
export const PAYROLL_MARKERS = ['compensation', 'bank_details', 'tax_id', 'government_id'] as const;
export type PayrollMarker = (typeof PAYROLL_MARKERS)[number];

/**
 * `present`: the data exists from the day on; `changed`: it differs from before from the day on; `absent`: it
 * no longer exists.
 */
export const MARKER_STATES = ['present', 'changed', 'absent'] as const;
export type MarkerState = (typeof MARKER_STATES)[number];

/** A dated fact about data that the service does not store. */
export type MarkerFact = {
  readonly marker: PayrollMarker;
  readonly state: MarkerState;
  /** The first day on which it applies. */
  readonly effective_date: LocalDate;
};

// These names and fields are the storage format: add new ones, never rename or remove.
export type PayrollMarkerEvent =
  | DomainEvent<'PayrollMarkerRecorded', MarkerFact & { marker_id: string }>
  /** Repeats the withdrawn marker's fields; `marker_id` is its own id. */
  | DomainEvent<'PayrollMarkerWithdrawn', MarkerFact & { marker_id: string; withdraws: string }>;

/** Every recorded marker of a person by its id, in the order of recording. */
export type PayrollMarkersState = ReadonlyMap<string, MarkerFact & { readonly isWithdrawn: boolean }>;

export const initialPayrollMarkers: PayrollMarkersState = new Map();

/** The state with one more event. */
export function evolvePayrollMarkers(state: PayrollMarkersState, event: PayrollMarkerEvent): PayrollMarkersState {
  const changed = new Map(state);
  const { marker, state: recordedState, effective_date } = event.data;
  const fact = { marker, state: recordedState, effective_date };
  switch (event.type) {
    case 'PayrollMarkerRecorded':
      return changed.set(event.data.marker_id, { ...fact, isWithdrawn: false });
    case 'PayrollMarkerWithdrawn':
      return changed.set(event.data.withdraws, { ...fact, isWithdrawn: true });
    default:
      return unreachable(event);
  }
}

export type PayrollMarkerCommand =
  | { readonly type: 'mark'; readonly markerId: string; readonly fact: MarkerFact }
  | { readonly type: 'withdraw'; readonly markerId: string; readonly withdraws: string };

/**
 * The events of a command, or the reason for its refusal. A standing marker, and a second
 * withdrawal, record nothing.
 */
export function decidePayrollMarkers(
  command: PayrollMarkerCommand,
  state: PayrollMarkersState,
): Decision<PayrollMarkerEvent> {
  const { markerId: marker_id } = command;
  switch (command.type) {
    case 'mark': {
      const { fact } = command;
      const { effective_date: date } = fact;
      if (!isLocalDate(date) || date < EARLIEST_DATE || date > LATEST_DATE)
        return reject(invalid('effective_date', 'must be a date as YYYY-MM-DD'));
      const stands = [...state.values()].some(
        (known) =>
          !known.isWithdrawn &&
          known.marker === fact.marker &&
          known.state === fact.state &&
          known.effective_date === date,
      );
      return stands ? accept() : accept({ type: 'PayrollMarkerRecorded', data: { marker_id, ...fact } });
    }
    case 'withdraw': {
      const known = state.get(command.withdraws);
      if (known === undefined) return reject(notFound('withdraws', 'the person has no such marker'));
      const { isWithdrawn, ...fact } = known;
      return isWithdrawn
        ? accept()
        : accept({ type: 'PayrollMarkerWithdrawn', data: { marker_id, withdraws: command.withdraws, ...fact } });
    }
    default:
      return unreachable(command);
  }
}

export const payrollMarkersAggregate = defineAggregate({
  category: 'payroll-markers',
  initial: initialPayrollMarkers,
  evolve: evolvePayrollMarkers,
});

/**
 * One row for each event of a person's markers; rows never change. `withdraws`: the id of the marker that the
 * event withdraws; null for a marker.
 */
export const PAYROLL_MARKERS_MIGRATION: Migration = {
  version: 30,
  name: 'markers of payroll',
  sql: `
create table payroll_markers (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  person_id text collate "C" not null,
  revision bigint not null,
  marker text not null,
  state text not null,
  effective_date date not null,
  withdraws text collate "C",
  recorded_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index payroll_markers_of_people on payroll_markers (organisation_id, person_id, marker, effective_date, revision);
create index payroll_markers_in_order on payroll_markers (organisation_id, recorded_at, person_id, revision);
create index payroll_markers_withdrawn on payroll_markers (organisation_id, withdraws) where withdraws is not null;
`,
};

const PRIMARY_KEY = ['organisation_id', 'id'];

const UPSERT: Upsert = {
  table: 'payroll_markers',
  primaryKey: PRIMARY_KEY,
  columns: ['person_id', 'revision', 'marker', 'state', 'effective_date', 'withdraws', 'recorded_at'],
  revision: 'revision',
  ownsMany: true,
};

function markerRows(stream: Stream): readonly Row[] {
  const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
  return stream.map(({ revision, recordedAt, data }) => ({
    organisation_id: organisationId,
    id: data['marker_id'],
    person_id: entityId,
    revision,
    marker: data['marker'],
    state: data['state'],
    effective_date: data['effective_date'],
    withdraws: data['withdraws'] ?? null,
    recorded_at: recordedAt,
  })) as readonly Row[];
}

const markers: StreamProjection = {
  category: 'payroll-markers',
  rows: (stream) => ({ payroll_markers: markerRows(stream) }),
  ...manyRowsOfPerson(UPSERT, 'marker_id'),
};

/** Markers of payroll, with their withdrawals. */
export const payrollMarkerProjection: Projection = {
  name: 'payroll_markers',
  needsPersonKeys: false,
  tables: [
    { name: 'payroll_markers', primaryKey: PRIMARY_KEY, columns: [...PRIMARY_KEY, ...UPSERT.columns], bookkeeping: [] },
  ],
  streams: [markers],
};
