/**
 * Shared by all definitions of the function: `create or replace` with another signature would create a second
 * function.
 */
export const APPEND_TO_STREAMS = `append_to_streams(
  targets text[], expecteds bigint[], counts int[], ids uuid[], types text[], datas text[], metadatas text[]
) returns table (
  outcome text, last_revision bigint, last_transaction xid8, last_position bigint, last_recorded_at timestamptz
) language plpgsql`;

/**
 * The event store's tables and functions in PostgreSQL, part of the schema's baseline.
 *
 * - The order of the log is (transaction_id, position), never position alone: a sequence number is not
 *   commit order. Readers stay behind `pg_snapshot_xmin(pg_current_snapshot())`; an event that a transaction
 *   in flight may still write has a transaction id at or after it.
 * - An append takes its stream's advisory lock before anything is written. The lock assigns no transaction
 *   id, so within a stream the order of revisions is the order of the log. The functions must therefore be
 *   called as a transaction of their own, never after a write.
 * - `json`, not `jsonb`: the text is kept as it was received, `\u0000` and lone surrogates included.
 * - No NOTIFY: it would make all commits of the cluster wait for one another.
 */
export const EVENT_STORE_SCHEMA = String.raw`
create table events (
  position bigint generated always as identity,
  transaction_id xid8 not null default pg_current_xact_id(),
  stream text collate "C" not null,
  revision bigint not null check (revision >= 0),
  event_id uuid not null,
  type text not null,
  data json not null,
  metadata json not null,
  recorded_at timestamptz(3) not null,
  primary key (stream, revision)
);

create index events_in_order_of_the_log on events (transaction_id, position);

create function refuse_change_of_events() returns trigger language plpgsql as $$
begin
  raise exception 'events are never changed or removed (% on %)', tg_op, tg_table_name using errcode = 'restrict_violation';
end
$$;

create trigger events_are_never_changed before update or delete on events
  for each statement execute function refuse_change_of_events();

create trigger events_are_never_truncated before truncate on events
  for each statement execute function refuse_change_of_events();

-- Writes to one stream. The caller holds its advisory lock.
-- expected: -2 any, -1 the stream must not exist, otherwise the revision of its last event.
-- outcome: appended, repeated (the stream has exactly these events at this place already), or refused with the stream's last revision.
create function append_under_lock(
  target text, expected bigint, ids uuid[], types text[], datas text[], metadatas text[],
  out outcome text, out last_revision bigint, out last_transaction xid8, out last_position bigint, out last_recorded_at timestamptz
) language plpgsql as $$
declare
  actual bigint;
  actual_recorded_at timestamptz;
  added constant bigint := cardinality(ids);
begin
  select e.revision, e.recorded_at into actual, actual_recorded_at
    from events e where e.stream = target order by e.revision desc limit 1;
  actual := coalesce(actual, -1);

  if expected <> -2 and expected <> actual then
    if expected < actual and ids = (
      select array_agg(e.event_id order by e.revision) from events e
      where e.stream = target and e.revision > expected and e.revision <= expected + added
    ) then
      select 'repeated', e.revision, e.transaction_id, e.position, e.recorded_at
        into outcome, last_revision, last_transaction, last_position, last_recorded_at
        from events e where e.stream = target and e.revision = expected + added;
    else
      outcome := 'refused';
      last_revision := actual;
    end if;
    return;
  end if;

  outcome := 'appended';
  last_revision := actual + added;
  -- Rounded up, and later than the previous event of the stream: an answer for an earlier millisecond never includes it afterwards,
  -- and an answer for its own millisecond never includes a later append.
  last_recorded_at := greatest(
    date_trunc('milliseconds', clock_timestamp() + interval '999 microseconds'), actual_recorded_at + interval '1 millisecond');
  with added_events as (
    insert into events (stream, revision, event_id, type, data, metadata, recorded_at)
    select target, actual + n.place, n.id, n.type, n.data::json, n.metadata::json, last_recorded_at
      from unnest(ids, types, datas, metadatas) with ordinality as n (id, type, data, metadata, place)
      order by n.place
    returning transaction_id, position
  )
  select a.transaction_id, a.position into last_transaction, last_position
    from added_events a order by a.position desc limit 1;
end
$$;

create function append_to_stream(
  target text, expected bigint, ids uuid[], types text[], datas text[], metadatas text[],
  out outcome text, out last_revision bigint, out last_transaction xid8, out last_position bigint, out last_recorded_at timestamptz
) language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(target, 0));
  select a.* into outcome, last_revision, last_transaction, last_position, last_recorded_at
    from append_under_lock(target, expected, ids, types, datas, metadatas) a;
end
$$;

-- An append of one event, which most are: one statement under the lock if the stream is at the expected revision, otherwise
-- append_under_lock. An assignment costs less than a statement.
create function append_event(
  target text, expected bigint, the_id uuid, the_type text, the_data text, the_metadata text,
  out outcome text, out last_revision bigint, out last_transaction xid8, out last_position bigint, out last_recorded_at timestamptz
) language plpgsql as $$
declare
  is_locked constant boolean := pg_advisory_xact_lock(hashtextextended(target, 0)) is not null;
begin
  insert into events as e (stream, revision, event_id, type, data, metadata, recorded_at)
  select target, expected + 1, the_id, the_type, the_data::json, the_metadata::json,
         greatest(date_trunc('milliseconds', clock_timestamp() + interval '999 microseconds'), last.recorded_at + interval '1 millisecond')
    from (values (expected)) as wanted (revision)
    left join lateral (select l.revision, l.recorded_at from events l where l.stream = target order by l.revision desc limit 1) last on true
   where coalesce(last.revision, -1) = wanted.revision
  returning e.revision, e.transaction_id, e.position, e.recorded_at into last_revision, last_transaction, last_position, last_recorded_at;
  if found then
    outcome := 'appended';
    return;
  end if;
  select a.* into outcome, last_revision, last_transaction, last_position, last_recorded_at
    from append_under_lock(target, expected, array[the_id], array[the_type], array[the_data], array[the_metadata]) a;
end
$$;

-- Several streams in one transaction. Each append takes the next counts[n] elements of the flat arrays. All locks are taken before
-- anything is written, in the order of their keys, so that two calls never wait for each other.
-- An append of one event goes to append_event, which is faster: the appends of an import do.
create function ${APPEND_TO_STREAMS} as $$
declare
  lock_key bigint;
  first int := 1;
  last int;
begin
  for lock_key in select distinct hashtextextended(t.name, 0) as key from unnest(targets) as t (name) order by key loop
    perform pg_advisory_xact_lock(lock_key);
  end loop;
  for place in 1 .. cardinality(targets) loop
    last := first + counts[place] - 1;
    if counts[place] = 1 then
      return query select * from append_event(targets[place], expecteds[place], ids[first], types[first], datas[first], metadatas[first]);
    else
      return query select * from append_under_lock(
        targets[place], expecteds[place], ids[first:last], types[first:last], datas[first:last], metadatas[first:last]);
    end if;
    first := last + 1;
  end loop;
end
$$;

-- Returns an instant before which no further event of the stream can be recorded, and its last revision. An append holds the
-- stream's advisory lock from before it reads the clock until it is visible, and records no time before the one it read. So once
-- this function has the lock, every append that read the clock before clock_now is visible, and every later append records a time at
-- or after it. The last revision is looked up under the lock: a statement of a volatile function sees what was committed when the
-- statement began.
create function settle_stream(target text, patience text, out clock_now timestamptz, out last_revision bigint)
language plpgsql as $$
begin
  perform set_config('lock_timeout', patience, true);
  perform pg_advisory_xact_lock_shared(hashtextextended(target, 0));
  clock_now := clock_timestamp();
  select e.revision into last_revision from events e where e.stream = target order by e.revision desc limit 1;
end
$$;
`;
