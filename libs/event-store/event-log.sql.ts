/**
 * Which event log this database belongs to: read tables, checkpoints and deliveries are of its events.
 * `first_event`, the first one of the log, is null where the log was empty, and in PostgreSQL, whose log is
 * in this very database.
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
