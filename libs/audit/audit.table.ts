/**
 * Anchors, and their records. `document` is the signed text of an anchor; `position` is not part of it, since
 * it belongs to the event store in use. `entries` contains the output of `record.ts`, one row per stream of
 * an anchor. `event_store_moves` tells to which event store the positions of this database were last
 * converted.
 */
export const AUDIT_SCHEMA = `
create table audit_anchors (
  number integer primary key check (number >= 1),
  document text not null,
  signature text not null,
  position text collate "C" not null,
  created_at timestamptz(3) not null default clock_timestamp()
);

create table audit_records (
  anchor integer not null references audit_anchors (number),
  stream text collate "C" not null,
  entries bytea not null,
  primary key (anchor, stream)
);

create table event_store_moves (
  is_only boolean primary key default true check (is_only),
  first_position text collate "C" not null,
  last_position text collate "C" not null,
  moved_at timestamptz not null default clock_timestamp()
);
`;
