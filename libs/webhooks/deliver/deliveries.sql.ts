/**
 * What is on its way to endpoints, and what became of it. No projection: rows are made once by the fan-out and then move
 * through the states of contract part 3. The endpoints themselves are the read table of `libs/resources/webhook`.
 */
export const WEBHOOK_DELIVERIES_SCHEMA = `
create table webhook_deliveries (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  webhook_id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text not null,
  resource_id text not null,
  resource_type text not null,
  occurred_at timestamptz(3) not null,
  status text not null default 'pending' check (status in ('pending', 'retry_scheduled', 'delivered', 'failed')),
  -- All attempts; and those since it was made or last reset, by which the pause before the next one goes.
  attempt_count integer not null default 0,
  step integer not null default 0,
  -- Never rounded up: what is due now would be due in half a millisecond, and a claim that is quicker would miss it.
  next_attempt_at timestamptz(3) default date_trunc('milliseconds', clock_timestamp()),
  lease_token uuid,
  leased_until timestamptz(3),
  -- Which activation of the endpoint it failed in: ten of one activation disable the endpoint.
  failed_activation integer,
  last_http_status integer,
  failure_class text check (failure_class in ('network', 'http_retryable', 'http_non_retryable')),
  failure_message text,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  finished_at timestamptz(3),
  primary key (organisation_id, id),
  unique (webhook_id, event_id),
  check ((status in ('pending', 'retry_scheduled')) = (next_attempt_at is not null)),
  check ((status in ('delivered', 'failed')) = (finished_at is not null))
) with (fillfactor = 80);
create index webhook_deliveries_newest on webhook_deliveries (organisation_id, webhook_id, created_at desc, id desc);
create index webhook_deliveries_waiting on webhook_deliveries (organisation_id, webhook_id) where status in ('pending', 'retry_scheduled');
create index webhook_deliveries_due on webhook_deliveries (next_attempt_at) where status in ('pending', 'retry_scheduled');
create index webhook_deliveries_failed on webhook_deliveries (organisation_id, webhook_id, failed_activation) where status = 'failed';
-- For the health of an endpoint: how many arrived and when the last one did; and those of which an attempt failed.
create index webhook_deliveries_delivered on webhook_deliveries (organisation_id, webhook_id, finished_at) where status = 'delivered';
create index webhook_deliveries_troubled on webhook_deliveries (organisation_id, webhook_id) where attempt_count > 1 or (attempt_count = 1 and status <> 'delivered');
create index webhook_deliveries_finished on webhook_deliveries (finished_at) where status in ('delivered', 'failed');

create table webhook_attempts (
  organisation_id text collate "C" not null,
  delivery_id text collate "C" not null,
  number integer not null,
  started_at timestamptz(3) not null,
  duration_ms integer not null,
  http_status integer,
  failure_class text,
  failure_message text,
  primary key (organisation_id, delivery_id, number),
  foreign key (organisation_id, delivery_id) references webhook_deliveries (organisation_id, id) on delete cascade
);

-- Endpoints that are stopped from the moment on that a rule says so, in the transaction that found it: before the event that
-- disables them is recorded, and whatever crashes in between. Holds for one activation of the endpoint only.
create table webhook_stops (
  organisation_id text collate "C" not null,
  webhook_id text collate "C" not null,
  activation integer not null,
  reason text not null check (reason in ('delivery_failures', 'delivery_overflow')),
  stopped_at timestamptz(3) not null default clock_timestamp(),
  primary key (organisation_id, webhook_id, activation)
);

-- What happened of late in organisations that have endpoints, whether or not one of them was sent it: what an endpoint missed
-- while it was disabled can be sent when it is back.
create table webhook_events (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  type text not null,
  resource_id text not null,
  resource_type text not null,
  occurred_at timestamptz(3) not null,
  position text collate "C" not null,
  primary key (organisation_id, id)
);
create index webhook_events_in_order on webhook_events (organisation_id, position, id);
create index webhook_events_by_time on webhook_events (occurred_at);

-- Up to which of those events each endpoint has got its deliveries, in one activation.
create table webhook_cursors (
  organisation_id text collate "C" not null,
  webhook_id text collate "C" not null,
  activation integer not null,
  position text collate "C" not null,
  primary key (organisation_id, webhook_id)
);

-- What the admins of an organisation are told of: endpoints that were disabled without their doing.
create table organisation_notices (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  kind text not null,
  subject_id text collate "C" not null,
  text text not null,
  created_at timestamptz(3) not null,
  leased_until timestamptz(3),
  sent_at timestamptz(3),
  primary key (organisation_id, id)
);
create index organisation_notices_unsent on organisation_notices (created_at) where sent_at is null;

-- How far the log of events has been followed. One row.
create table webhook_fan_out (
  is_only boolean primary key default true check (is_only),
  position text collate "C",
  updated_at timestamptz not null default clock_timestamp()
);
insert into webhook_fan_out default values;
`;

/**
 * An index for the due deliveries of an endpoint, the longest due first. It also serves the counts of waiting deliveries of an endpoint and
 * of an organisation, and replaces two indexes.
 */
export const WEBHOOK_DUE_BY_ENDPOINT = `
create index webhook_deliveries_due_by_endpoint on webhook_deliveries (organisation_id, webhook_id, next_attempt_at) where status in ('pending', 'retry_scheduled');
drop index webhook_deliveries_waiting;
drop index webhook_deliveries_due;
`;

/** The span (W3C `traceparent`) that a delivery belongs to; null for most, which are not traced. Older processes leave it out. */
export const WEBHOOK_TRACES = `
alter table webhook_events add column traceparent text;
alter table webhook_deliveries add column traceparent text;
`;

/** For dashboards: what failed for good, the latest first. Failures are rare, so that few deliveries pay for it. */
export const WEBHOOK_FAILED_BY_TIME = `
create index webhook_deliveries_failed_by_time on webhook_deliveries (finished_at) where status = 'failed';
`;
