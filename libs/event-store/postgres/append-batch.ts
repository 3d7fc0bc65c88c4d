import { ofAnyLength } from '#database/transaction.js';

const APPENDS = ['writes', 'targets', 'expecteds', 'counts'];

/** Part of released migrations, which never change: a function that earlier releases call. */
const appendBatch = ({
  create,
  free,
  appends = APPENDS.join(', '),
}: {
  readonly create: string;
  readonly free: string;
  readonly appends?: string;
}): string => String.raw`
${create} append_batch(
  writes int[], targets text[], expecteds bigint[], counts int[], ids uuid[], types text[], datas text[], metadatas text[]
) returns table (write int, outcome text, recorded text) language plpgsql as $$
declare
  is_free boolean[];
  clock timestamptz;
begin
  ${free}
  clock := date_trunc('milliseconds', clock_timestamp() + interval '999 microseconds');
  return query
  with wanted as (
    select a.*, is_free[a.n] as is_free, (sum(a.events) over (order by a.n) - a.events)::int as before
      from unnest(${appends}) with ordinality as a (write, stream, expected, events, n)
  ),
  headed as (
    select w.*, coalesce(last.revision, -1) as actual, last.recorded_at as last_recorded_at
      from wanted w
      left join lateral (select l.revision, l.recorded_at from events l where l.stream = w.stream order by l.revision desc limit 1) last on true
  ),
  judged as (
    select h.*, bool_and(h.is_free) over of_write as is_whole, bool_and(h.is_free and h.actual = h.expected) over of_write as is_accepted,
           greatest(clock, max(h.last_recorded_at) over of_write + interval '1 millisecond') as recorded_at
      from headed h window of_write as (partition by h.write)
  ),
  added as (
    insert into events (stream, revision, event_id, type, data, metadata, recorded_at)
    select j.stream, j.expected + k, ids[j.before + k], types[j.before + k], datas[j.before + k]::json, metadatas[j.before + k]::json, j.recorded_at
      from judged j, generate_series(1, j.events) k where j.is_accepted order by j.n, k
  )
  select distinct on (j.write) j.write, case when j.is_accepted then 'appended' when j.is_whole then 'refused' else 'busy' end,
         to_char(j.recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
    from judged j order by j.write;
end
$$;
`;

export const APPEND_BATCH_SQL = appendBatch({
  create: 'create function',
  free: `select array_agg(pg_try_advisory_xact_lock(hashtextextended(t.name, 0)) order by t.n) into is_free
    from unnest(targets) with ordinality as t (name, n);`,
});

const WITH_CONDITIONS = {
  create: 'create or replace function',
  free: `select array_agg(case when t.events = 0 then pg_try_advisory_xact_lock_shared(t.key) else pg_try_advisory_xact_lock(t.key) end order by t.n) into is_free
    from (select hashtextextended(u.name, 0) as key, u.events, u.n from unnest(targets, counts) with ordinality as u (name, events, n)) t;`,
};

export const CONDITIONS_OF_BATCHES_SQL = appendBatch(WITH_CONDITIONS);

const PLANNED_ONCE_SQL = appendBatch({ ...WITH_CONDITIONS, appends: APPENDS.map(ofAnyLength).join(', ') });

const FIRST_INDEXED_REVISION = 16;

const KEY_OF_EVENT = String.raw`substring(metadata::text from '"idempotency_key":("(?:[^"\\]|\\.)*")')`;

export const LONG_STREAMS_SQL = `${PLANNED_ONCE_SQL}
create index events_of_long_streams_by_key on events (stream, (${KEY_OF_EVENT})) where revision >= ${FIRST_INDEXED_REVISION};
`;
