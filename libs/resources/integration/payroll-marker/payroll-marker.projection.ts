import type { Migration } from '#database/migrations.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { Projection, Row, Stream, StreamProjection } from '#projections/projection.js';
import type { Upsert } from '#projections/upsert.js';
import { manyRowsOfPerson } from '../../people/person/rows-of-people.js';

/** One row for each event of a person's markers; none ever changes. `withdraws`: the id of the marker that the event takes back, else null. */
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
  tables: [{ name: 'payroll_markers', primaryKey: PRIMARY_KEY, columns: [...PRIMARY_KEY, ...UPSERT.columns], bookkeeping: [] }],
  streams: [markers],
};
