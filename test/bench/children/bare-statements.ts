/** What the bare server writes: as long as what the product writes for the same request. */
export interface Sample {
  readonly organisationId: string;
  readonly eventId: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
  readonly fingerprint: string;
  /** The answer's body, which a receipt keeps. */
  readonly answer: string;
}

const TEXT = { type: ['string', 'null'] } as const;
const NUMBER = { type: ['number', 'null'] } as const;
const TIME = { type: 'string', format: 'date-time' } as const;

const COLUMNS = {
  person_id: TEXT,
  identity_revision: NUMBER,
  work_email: TEXT,
  first_name: TEXT,
  preferred_name: TEXT,
  last_name: TEXT,
  display_name: TEXT,
  staff_id: TEXT,
  created_at: TIME,
  employment_revision: NUMBER,
  status: TEXT,
  start_date: TEXT,
  end_date: TEXT,
  fact_id: TEXT,
  effective_from: TEXT,
  effective_to: TEXT,
  job_title: TEXT,
  department_id: TEXT,
  manager_id: TEXT,
  work_place_id: TEXT,
  work_type_id: TEXT,
  working_pattern_id: TEXT,
  contracted_weekly_minutes: NUMBER,
  full_time_weekly_minutes: NUMBER,
  fte: NUMBER,
  updated_at: TIME,
} as const;

/** The row as JSON, every column of it. */
export const ROW_SCHEMA = { type: 'object', properties: COLUMNS } as const;

const SELECT = `select ${Object.keys(COLUMNS).join(', ')} from people`;

export const ONE_ROW = `${SELECT} where organisation_id = $1 and person_id = $2`;
/** In the order of an index, as the product's list is. */
export const SOME_ROWS = `${SELECT} where organisation_id = $1 and identity_revision is not null order by created_at, person_id limit $2`;

const TIME_OFF_COLUMNS = {
  id: TEXT,
  revision: NUMBER,
  person_id: TEXT,
  category_id: TEXT,
  start_date: TEXT,
  end_date: TEXT,
  start_day_part: TEXT,
  end_day_part: TEXT,
  days: {
    type: 'array',
    items: { type: 'object', properties: { date: TEXT, day_part: TEXT, minutes: NUMBER, counted: { type: 'boolean' }, reason: TEXT } },
  },
  total_minutes: NUMBER,
  total_days: NUMBER,
  status_code: TEXT,
  created_at: TIME,
  updated_at: TIME,
} as const;

/** A record of time off as JSON, every column of it that the product shows. */
export const TIME_OFF_SCHEMA = { type: 'object', properties: TIME_OFF_COLUMNS } as const;

/** What begins in the window: the part of it that one index gives in the order of the list. What is in progress already is left out. */
export const SOME_TIME_OFF = `select ${Object.keys(TIME_OFF_COLUMNS).join(', ')} from time_off
  where organisation_id = $1 and start_date between $2 and $3 order by start_date, id limit $4`;

/** Tables of the same shape as those of events and receipts, with a primary key each. */
export const BARE_TABLES = `
create table bench_events (
  position bigint generated always as identity primary key, stream text not null, revision bigint not null, event_id uuid not null,
  type text not null, data json not null, metadata json not null, recorded_at timestamptz not null default clock_timestamp()
);
create table bench_receipts (
  idempotency_key text primary key, fingerprint text not null, status smallint not null, body text not null, expires_at timestamptz not null
);`;

export const APPEND_EVENT = 'insert into bench_events (stream, revision, event_id, type, data, metadata) values ($1, 1, $2, $3, $4, $5)';
export const APPEND_RECEIPT = `insert into bench_receipts (idempotency_key, fingerprint, status, body, expires_at) values ($1, $2, 200, $3, now() + interval '7 days')`;
