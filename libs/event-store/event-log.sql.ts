/**
 * Identifies the event log of this database: read tables, checkpoints and deliveries derive from its events.
 * `first_event`, the first one of the log, is null if the log was empty, and for PostgreSQL, whose log is in
 * this database.
 */
export const EVENT_LOG_SCHEMA = `
create table event_log (
  is_only boolean primary key default true check (is_only),
  kind text not null check (kind in ('postgresql', 'eventstoredb')),
  first_stream text collate "C",
  first_event uuid,
  remembered_at timestamptz not null default clock_timestamp(),
  check ((first_stream is null) = (first_event is null))
);
`;
