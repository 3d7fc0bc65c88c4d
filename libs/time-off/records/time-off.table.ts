import { partsOfStream } from '#kernel/aggregate.js';
import type { Json } from '#kernel/json.js';
import { manyRowsOfPerson } from '#people/person/rows-of-people.js';
import type { Projection, Row, Stream, StreamProjection } from '#projections/projection.js';
import type { Upsert } from '#projections/upsert.js';
import { evolveCalendar, initialCalendar, type TimeOffEvent } from './time-off.js';

/**
 * The read table of time-off records. A person's stream owns all rows of the person; a row's revision is that
 * of the last event about the record. `history` holds the state of the record after each of its events,
 * oldest first: `[{recorded_at, status_code, category_id, days: [{date, minutes, counted}]}]`, for
 * calculations as of an earlier time.
 */
export const TIME_OFF_SCHEMA = `
create table time_off (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  person_id text collate "C" not null,
  revision bigint not null,
  category_id text collate "C" not null,
  is_standard boolean not null,
  start_date date not null,
  end_date date not null,
  start_day_part text not null,
  end_day_part text not null,
  days jsonb not null,
  total_minutes integer not null,
  total_days double precision not null,
  status_code text not null,
  history jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  sync_mark timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index time_off_in_order_of_dates on time_off (organisation_id, start_date, id);
create index time_off_by_day on time_off using gist (organisation_id, daterange(start_date, end_date, '[]'));
create index time_off_of_people on time_off (organisation_id, person_id, start_date, id);
create index time_off_open on time_off (organisation_id, person_id, end_date) where status_code in ('pending', 'approved');
create index time_off_in_order_of_marks on time_off (organisation_id, sync_mark, id);
create index time_off_in_order_of_updates on time_off (organisation_id, updated_at desc, id desc);
-- Lists of what is still to be decided: few records of a window are pending.
create index time_off_by_status on time_off (organisation_id, status_code, start_date, id);
`;

const PRIMARY_KEY = ['organisation_id', 'id'];

const UPSERT: Upsert = {
  table: 'time_off',
  primaryKey: PRIMARY_KEY,
  columns: [
    'person_id',
    'revision',
    'category_id',
    'is_standard',
    'start_date',
    'end_date',
    'start_day_part',
    'end_day_part',
    'days',
    'total_minutes',
    'total_days',
    'status_code',
    'history',
    'created_at',
    'updated_at',
  ],
  revision: 'revision',
  markedBy: 'updated_at',
  ownsMany: true,
};

/**
 * The rows of `time_off` that a person's stream owns: every current record, with its state after each of its
 * events.
 */
export function timeOffRows(stream: Stream): readonly Row[] {
  const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
  const rows = new Map<string, Row>();
  let calendar = initialCalendar;
  for (const event of stream) {
    calendar = evolveCalendar(calendar, event as unknown as TimeOffEvent);
    const record = calendar.records.get(event.data['time_off_id'] as string)!;
    const before = rows.get(record.id);
    const days = record.days.map(({ date, minutes, counted }) => ({ date, minutes, counted }));
    const instant = {
      recorded_at: event.recordedAt,
      status_code: record.status,
      category_id: record.category_id,
      days,
    };
    rows.set(record.id, {
      organisation_id: organisationId,
      id: record.id,
      person_id: entityId,
      revision: record.revision,
      category_id: record.category_id,
      is_standard: record.is_standard,
      start_date: record.start_date,
      end_date: record.end_date,
      start_day_part: record.start_day_part,
      end_day_part: record.end_day_part,
      days: record.days,
      total_minutes: record.total_minutes,
      total_days: record.total_days,
      status_code: record.status,
      history: [...((before?.['history'] as readonly Json[] | undefined) ?? []), instant],
      created_at: before?.['created_at'] ?? event.recordedAt,
      updated_at: event.recordedAt,
    });
  }
  return [...rows.values()];
}

/** The rows that changed after `seen`. Writing unchanged rows would only lock every row of the person. */
function rowsAfter(rows: readonly Row[], seen: number | null): readonly Row[] {
  return seen === null ? rows : rows.filter((row) => Number(row['revision']) > seen);
}

const calendar: StreamProjection = {
  category: 'time-off',
  rows: (stream, context) => ({ time_off: rowsAfter(timeOffRows(stream), context.seen?.(stream[0]!.stream) ?? null) }),
  ...manyRowsOfPerson(UPSERT, 'time_off_id'),
};

/** Time-off records of every status. */
export const timeOffProjection: Projection = {
  name: 'time_off',
  needsPersonKeys: false,
  tables: [
    {
      name: 'time_off',
      primaryKey: PRIMARY_KEY,
      columns: [...PRIMARY_KEY, ...UPSERT.columns, 'sync_mark'],
      bookkeeping: ['sync_mark'],
      // COPY would read a list as a PostgreSQL array.
      complete: (row) => ({
        ...row,
        days: JSON.stringify(row['days']),
        history: JSON.stringify(row['history']),
        sync_mark: row['updated_at']!,
      }),
      carriedOver: { sync_mark: 'greatest(shadow.sync_mark, live.sync_mark)' },
    },
  ],
  streams: [calendar],
};
