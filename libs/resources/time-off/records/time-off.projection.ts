import type { RecordedEvent } from '#event-store/event-store.js';
import type { Json } from '#kernel/json.js';
import type { Projection, Row, Stream, StreamProjection } from '#projections/projection.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { Upsert } from '#projections/upsert.js';
import { manyRowsOfPerson } from '../../people/person/rows-of-people.js';
import { evolveCalendar, initialCalendar, type TimeOffEvent, type TimeOffRecord } from './time-off.decider.js';

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

interface ProjectedRecord {
  readonly record: TimeOffRecord;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly history: readonly Json[];
}

/** Every record of a stream as it is now, with its state after each of its events. */
function projectedRecords(stream: Stream): readonly ProjectedRecord[] {
  const projected = new Map<string, ProjectedRecord>();
  let calendar = initialCalendar;
  for (const event of stream) {
    calendar = evolveCalendar(calendar, event as unknown as TimeOffEvent);
    const id = event.data['time_off_id'] as string;
    const record = calendar.records.get(id)!;
    const before = projected.get(id);
    const history = [...(before?.history ?? []), momentOf(record, event)];
    projected.set(id, { record, createdAt: before?.createdAt ?? event.recordedAt, updatedAt: event.recordedAt, history });
  }
  return [...projected.values()];
}

function momentOf(record: TimeOffRecord, event: Pick<RecordedEvent, 'recordedAt'>): Json {
  const days = record.days.map(({ date, minutes, counted }) => ({ date, minutes, counted }));
  return { recorded_at: event.recordedAt, status_code: record.status, category_id: record.category_id, days };
}

/** The rows of `time_off` that a person's stream owns. */
export function timeOffRows(stream: Stream): readonly Row[] {
  const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
  return projectedRecords(stream).map((projected) => rowOf(organisationId, entityId, projected));
}

/** The row of a record that an event has just made. */
export function newTimeOffRow(
  { organisationId, personId }: { readonly organisationId: string; readonly personId: string },
  record: TimeOffRecord,
  recordedAt: string,
): Row {
  return rowOf(organisationId, personId, {
    record,
    createdAt: recordedAt,
    updatedAt: recordedAt,
    history: [momentOf(record, { recordedAt })],
  });
}

function rowOf(organisationId: string, personId: string, { record, createdAt, updatedAt, history }: ProjectedRecord): Row {
  return {
    organisation_id: organisationId,
    id: record.id,
    person_id: personId,
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
    history,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

/** The rows that changed after `seen`. Writing unchanged rows would have no effect but to lock every row of the person. */
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
