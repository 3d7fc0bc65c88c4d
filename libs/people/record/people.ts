import type {
  Projection,
  ProjectionContext,
  Row,
  Stream,
  StreamProjection,
  StreamRows,
} from '#projections/projection.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { TableNames } from '#projections/projector.js';
import { revisionInRow } from '#projections/one-row-table.js';
import { type Upsert, upsertHead } from '#projections/upsert.js';
import { ROWS_OF_PEOPLE } from '../person/rows-of-people.js';
import { BELIEF_COLUMNS, beliefRows, FACT_COLUMNS, factRows } from '../employment/history.js';
import { evolvePerson, initialPerson, type PersonState } from '../person/person.js';
import { openPersonEvent } from '../person/person-seal.js';
import { employmentColumns, identityColumns, latestOf } from './person-row.js';

const PRIMARY_KEY = ['organisation_id', 'person_id'];

const IDENTITY: Upsert = {
  table: 'people',
  primaryKey: PRIMARY_KEY,
  columns: [
    'identity_revision',
    'work_email',
    'first_name',
    'preferred_name',
    'last_name',
    'display_name',
    'staff_id',
    'created_at',
    'identity_updated_at',
    'shown_identity',
    'email_key',
  ],
  revision: 'identity_revision',
  markedBy: 'identity_updated_at',
};

const EMPLOYMENT: Upsert = {
  table: 'people',
  primaryKey: PRIMARY_KEY,
  columns: [
    'employment_revision',
    'employment_as_of',
    'next_change_on',
    'shown_since',
    'status',
    'start_date',
    'end_date',
    'coming_start_date',
    'coming_end_date',
    'fact_id',
    'effective_from',
    'effective_to',
    'job_title',
    'department_id',
    'manager_id',
    'work_place_id',
    'work_type_id',
    'working_pattern_id',
    'contracted_weekly_minutes',
    'full_time_weekly_minutes',
    'fte',
    'employment_updated_at',
    'shown_employment',
  ],
  revision: 'employment_revision',
  asOf: 'employment_as_of',
  markedBy: 'employment_updated_at',
  // A change whose day has come stays due until the effective-date job has recorded it, whatever else is
  // projected in the meantime.
  replacing: {
    next_change_on: `case when stored.next_change_on <= excluded.employment_as_of then stored.next_change_on
        else excluded.next_change_on end`,
  },
};

const EFFECT: Upsert = {
  table: 'people',
  primaryKey: PRIMARY_KEY,
  columns: ['effect_revision', 'effect_updated_at'],
  revision: 'effect_revision',
  markedBy: 'effect_updated_at',
};

/** Identity columns of a person, from the whole person stream. */
function identityRow(stream: Stream, context: ProjectionContext): Row {
  const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
  const key = context.personKey(organisationId, entityId);
  return identityColumns(
    stream,
    stream.reduce<PersonState>((folded, event) => evolvePerson(folded, openPersonEvent(event, key)), initialPerson),
  );
}

/** Employment columns of a person, from the whole employment stream, as of today. */
function employmentRow(stream: Stream, context: ProjectionContext): Row {
  const { organisationId } = partsOfStream(stream[0]!.stream);
  const today = context.today(organisationId);
  // The effective date of an event that is projected late may have passed. Its row is due, and the
  // effective-date job records the missing effects.
  const recordedOn = context.dateAt?.(organisationId, stream.at(-1)!.recordedAt) ?? today;
  return employmentColumns(stream, today, recordedOn < today ? recordedOn : today);
}

/** Confirms the e-mail addresses of the people whose rows were written. */
const CONFIRMED_ADDRESS = `confirmed as (
  insert into work_email_reservations as r (organisation_id, email_key, person_id, is_confirmed)
  select i.organisation_id, i.email_key, i.person_id, true
    from input i join head using (organisation_id, person_id)
   where i.work_email <> '[erased]' and not exists (
     select from work_email_reservations own
      where own.organisation_id = i.organisation_id and own.email_key = i.email_key and own.person_id = i.person_id
        and own.is_confirmed)
   order by 1, 2
  on conflict (organisation_id, email_key) do update set is_confirmed = true, person_id = excluded.person_id
   where not r.is_confirmed
)`;

const identity: StreamProjection = {
  category: 'person',
  rows: (stream, context) => ({ people: [identityRow(stream, context)] }),
  expressions: identityExpressions,
  revisionsInRows: revisionInRow('people', IDENTITY.revision, ROWS_OF_PEOPLE),
};

function employmentRows(stream: Stream, context: ProjectionContext): StreamRows {
  const seen = context.seen?.(stream[0]!.stream) ?? null;
  return {
    people: [employmentRow(stream, context)],
    employment_facts: factRows(stream, seen),
    employment_beliefs: beliefRows(stream, seen),
  };
}

const employment: StreamProjection = {
  category: 'employment',
  rows: employmentRows,
  isExtended: true,
  expressions: employmentExpressions,
  revisionsInRows: revisionInRow('people', EMPLOYMENT.revision, ROWS_OF_PEOPLE),
  streamsDue: (table) => `select p.organisation_id || '.' || p.person_id as key
      from ${table('people')} p join organisations o on o.id = p.organisation_id
     where p.next_change_on <= ($1::timestamptz at time zone o.time_zone)::date
       and p.employment_as_of < ($1::timestamptz at time zone o.time_zone)::date`,
};

const effect: StreamProjection = {
  category: 'employment-effect',
  rows: (stream) => {
    const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
    const last = stream.at(-1)!;
    const row = {
      organisation_id: organisationId,
      person_id: entityId,
      effect_revision: last.revision,
      effect_updated_at: last.recordedAt,
    };
    return { people: [row] };
  },
  expressions: (table) => upsertHead(EFFECT, table),
  revisionsInRows: revisionInRow('people', EFFECT.revision, ROWS_OF_PEOPLE),
};

/** Current people, every fact of their employment, and the beliefs about it at every revision. */
export const peopleProjection: Projection = {
  name: 'people',
  needsPersonKeys: true,
  tables: [
    {
      name: 'people',
      primaryKey: PRIMARY_KEY,
      columns: [...PRIMARY_KEY, ...IDENTITY.columns, ...EMPLOYMENT.columns, ...EFFECT.columns, 'sync_mark'],
      setByTrigger: ['name_key', 'search_text'],
      bookkeeping: ['employment_as_of', 'next_change_on', 'shown_since', 'sync_mark'],
      complete: (row) => ({
        ...row,
        sync_mark: latestOf(
          ...['identity_updated_at', 'employment_updated_at', 'effect_updated_at'].map(
            (time) => (row[time] as string) ?? null,
          ),
        ),
      }),
      carriedOver: {
        sync_mark: 'greatest(shadow.sync_mark, live.sync_mark)',
        // Only the live row tells whether the change that it already reflects is recorded as an event.
        next_change_on: `case when live.employment_revision = shadow.employment_revision
          and shadow.next_change_on <= live.employment_as_of
          then live.next_change_on else least(shadow.next_change_on, live.next_change_on) end`,
      },
    },
    { name: 'employment_facts', primaryKey: [...PRIMARY_KEY, 'revision'], columns: FACT_COLUMNS, bookkeeping: [] },
    {
      name: 'employment_beliefs',
      primaryKey: [...PRIMARY_KEY, 'known_from', 'valid_from'],
      columns: BELIEF_COLUMNS,
      bookkeeping: [],
      contradiction: { within: PRIMARY_KEY, condition: 'one.valid && other.valid and one.known && other.known' },
    },
  ],
  streams: [identity, employment, effect],
};

/**
 * Writes the row, confirms the e-mail address as the person's, and releases the addresses that they had
 * before.
 */
function identityExpressions(table: TableNames): string {
  const head = upsertHead(IDENTITY, table);
  if (table('people') !== 'people') return head;
  return `${head},
${CONFIRMED_ADDRESS},
released as (
  delete from work_email_reservations r using input i join head using (organisation_id, person_id)
   where r.organisation_id = i.organisation_id and r.person_id = i.person_id and r.is_confirmed
     and r.email_key <> i.email_key
)`;
}

/**
 * Writes facts and beliefs. Existing rows stay; rows missing from the input already exist. A row without
 * `known_from` closes the open belief about its days.
 */
function employmentExpressions(table: TableNames): string {
  const facts = table('employment_facts');
  const beliefs = table('employment_beliefs');
  return `${upsertHead(EMPLOYMENT, table)},
facts as (
  insert into ${facts} as f (${FACT_COLUMNS.join(', ')})
  select ${FACT_COLUMNS.map((column) => `i.${column}`).join(', ')}
    from json_populate_recordset(null::${facts}, $2::json) i join head using (organisation_id, person_id)
  on conflict (organisation_id, person_id, revision) do update set corrected_by = excluded.corrected_by
   where f.corrected_by is distinct from excluded.corrected_by
),
believed as materialized (
  select i.* from json_populate_recordset(null::${beliefs}, $3::json) i join head using (organisation_id, person_id)
),
closed as (
  update ${beliefs} b set known = int8range(b.known_from, upper(i.known)) from believed i
   where i.known_from is null and b.organisation_id = i.organisation_id and b.person_id = i.person_id
     and b.valid_from = i.valid_from
     and upper_inf(b.known) and b.known_from < upper(i.known)
),
beliefs as (
  insert into ${beliefs} as b (${BELIEF_COLUMNS.join(', ')})
  select ${BELIEF_COLUMNS.map((column) => `i.${column}`).join(', ')} from believed i where i.known_from is not null
  on conflict (organisation_id, person_id, known_from, valid_from) do update set known = excluded.known
   where b.known is distinct from excluded.known
)`;
}
