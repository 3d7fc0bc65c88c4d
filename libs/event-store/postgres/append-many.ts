import { APPEND_TO_STREAMS } from './schema.sql.js';

/** Part of a released migration, which never changes: earlier releases call it. */
export const APPEND_TO_STREAMS_SQL = String.raw`
create or replace function ${APPEND_TO_STREAMS} as $$
declare
  clock timestamptz;
  append record;
begin
  perform pg_advisory_xact_lock(k.key)
    from (select distinct hashtextextended(t.name, 0) as key from unnest(targets) as t (name) order by key) k;
  clock := date_trunc('milliseconds', clock_timestamp() + interval '999 microseconds');
  for append in
    with requested as (
      select a.*, (sum(a.events) over (order by a.n) - a.events + 1)::int as first
        from unnest(targets, expecteds, counts) with ordinality as a (stream, expected, events, n)
    ),
    headed as (
      select w.*, w.events = 1 and coalesce(last.revision, -1) = w.expected as is_next,
             greatest(clock, last.recorded_at + interval '1 millisecond') as recorded_at
        from requested w
        left join lateral (select l.revision, l.recorded_at from events l where l.stream = w.stream order by l.revision desc limit 1) last on true
       order by w.n
    ),
    placed as materialized (
      select h.*, case when h.is_next then nextval('events_position_seq') end as position from headed h
    ),
    added as (
      insert into events (position, stream, revision, event_id, type, data, metadata, recorded_at) overriding system value
      select p.position, p.stream, p.expected + 1, ids[p.first], types[p.first], datas[p.first]::json, metadatas[p.first]::json, p.recorded_at
        from placed p where p.is_next order by p.n
    )
    select * from placed p order by p.n
  loop
    if append.is_next then
      outcome := 'appended';
      last_revision := append.expected + 1;
      last_transaction := pg_current_xact_id();
      last_position := append.position;
      last_recorded_at := append.recorded_at;
      return next;
    else
      return query select * from append_under_lock(
        append.stream, append.expected, ids[append.first:append.first + append.events - 1], types[append.first:append.first + append.events - 1],
        datas[append.first:append.first + append.events - 1], metadatas[append.first:append.first + append.events - 1]);
    end if;
  end loop;
end
$$;
`;
