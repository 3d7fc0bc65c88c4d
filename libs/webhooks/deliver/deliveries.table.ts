/**
 * Deliveries to endpoints and their results. Not a projection: the fan-out creates rows once, and they then
 * move through the states of contract part 3. The endpoints themselves are the read table of
 * `libs/webhooks/endpoint`.
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
  -- All attempts; and those since the delivery was created or last reset, which decide the pause before the next one.
  attempt_count integer not null default 0,
  step integer not null default 0,
  -- Never rounded up: a delivery that is due now would be due half a millisecond later, and a quicker claim would miss it.
  next_attempt_at timestamptz(3) default date_trunc('milliseconds', clock_timestamp()),
  lease_token uuid,
  leased_until timestamptz(3),
  -- The activation of the endpoint in which it failed: ten failures in one activation disable the endpoint.
  failed_activation integer,
  last_http_status integer,
  failure_class text check (failure_class in ('network', 'http_retryable', 'http_non_retryable')),
  failure_message text,
  created_at timestamptz(3) not null default clock_timestamp(),
  updated_at timestamptz(3) not null default clock_timestamp(),
  finished_at timestamptz(3),
  -- The span (W3C traceparent) of the delivery; null for most, which are not traced.
  traceparent text,
  primary key (organisation_id, id),
  unique (webhook_id, event_id),
  check ((status in ('pending', 'retry_scheduled')) = (next_attempt_at is not null)),
  check ((status in ('delivered', 'failed')) = (finished_at is not null))
) with (fillfactor = 80);
create index webhook_deliveries_newest on webhook_deliveries (organisation_id, webhook_id, created_at desc, id desc);
create index webhook_deliveries_failed on webhook_deliveries (organisation_id, webhook_id, failed_activation) where status = 'failed';
-- The health of an endpoint: how many deliveries arrived, and when the last one did; and those with a failed attempt.
create index webhook_deliveries_delivered on webhook_deliveries (organisation_id, webhook_id, finished_at) where status = 'delivered';
create index webhook_deliveries_troubled on webhook_deliveries (organisation_id, webhook_id) where attempt_count > 1 or (attempt_count = 1 and status <> 'delivered');
create index webhook_deliveries_finished on webhook_deliveries (finished_at) where status in ('delivered', 'failed');
-- The due deliveries of an endpoint, the longest due first; it also serves the counts of waiting deliveries of an endpoint and of an organisation.
create index webhook_deliveries_due_by_endpoint on webhook_deliveries (organisation_id, webhook_id, next_attempt_at) where status in ('pending', 'retry_scheduled');
-- Dashboards: final failures, the latest first. Failures are rare, so few deliveries pay for it.
create index webhook_deliveries_failed_by_time on webhook_deliveries (finished_at) where status = 'failed';

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

-- Endpoints that a rule has stopped, written in the transaction that found it: before the event that disables the endpoint is recorded,
-- and whatever crashes in between. A stop holds for one activation of the endpoint only.
create table webhook_stops (
  organisation_id text collate "C" not null,
  webhook_id text collate "C" not null,
  activation integer not null,
  reason text not null check (reason in ('delivery_failures', 'delivery_overflow')),
  stopped_at timestamptz(3) not null default clock_timestamp(),
  primary key (organisation_id, webhook_id, activation)
);

-- Recent events of organisations that have endpoints, sent or not: an endpoint that was disabled can get the events that it missed.
create table webhook_events (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  type text not null,
  resource_id text not null,
  resource_type text not null,
  occurred_at timestamptz(3) not null,
  position text collate "C" not null,
  traceparent text,
  primary key (organisation_id, id)
);
create index webhook_events_in_order on webhook_events (organisation_id, position, id);
create index webhook_events_by_time on webhook_events (occurred_at);

-- Up to which of those events each endpoint has its deliveries, in one activation.
create table webhook_cursors (
  organisation_id text collate "C" not null,
  webhook_id text collate "C" not null,
  activation integer not null,
  position text collate "C" not null,
  primary key (organisation_id, webhook_id)
);

-- Notices to the admins of an organisation: endpoints that were disabled automatically.
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

-- The place in the log of events up to which the fan-out has published. One row.
create table webhook_fan_out (
  is_only boolean primary key default true check (is_only),
  position text collate "C",
  updated_at timestamptz not null default clock_timestamp()
);
insert into webhook_fan_out default values;
`;
