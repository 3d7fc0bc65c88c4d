import { ofAnyLength } from '#database/transaction.js';

const APPENDS = ['writes', 'targets', 'expecteds', 'counts'];

/**
 * `append_batch` appends what several writes record, each of them all or nothing, in the transaction of the caller. The n-th element of the
 * first four arrays is an append: the write that it belongs to, its stream, the revision that it expects (-1: the stream must not exist), and
 * the number of its events, which are next in the other arrays. No stream may be appended to twice.
 *
 * It waits for nobody: a write with a stream that another transaction appends to is `busy`, one with a stream at another revision is
 * `refused`, and neither leaves anything. All locks are taken before anything is written, as `append_to_stream` requires. All events of
 * a write have one recorded time, which follows the rule of `append_under_lock`.
 */
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

/**
 * The same with conditions: a number of 0 events means that the write is recorded only while this stream is at that revision. Its lock is
 * shared, so that many writes may depend on one stream. A stream that never exists may be named for the advisory lock of its name, which
 * nobody may then hold exclusively.
 */
const WITH_CONDITIONS = {
  create: 'create or replace function',
  free: `select array_agg(case when t.events = 0 then pg_try_advisory_xact_lock_shared(t.key) else pg_try_advisory_xact_lock(t.key) end order by t.n) into is_free
    from (select hashtextextended(u.name, 0) as key, u.events, u.n from unnest(targets, counts) with ordinality as u (name, events, n)) t;`,
};

export const CONDITIONS_OF_BATCHES_SQL = appendBatch(WITH_CONDITIONS);

/** The same, planned once for each connection. */
const PLANNED_ONCE_SQL = appendBatch({ ...WITH_CONDITIONS, appends: APPENDS.map(ofAnyLength).join(', ') });

/**
 * From this revision on events are found by the idempotency key of their write through an index; before, a look at each of them costs no more. It is in the index of
 * migration 16, as {@link KEY_OF_EVENT} is: another value needs another index.
 */
const FIRST_INDEXED_REVISION = 16;

/**
 * SQL of the idempotency key that an event was recorded under, as the JSON of its metadata has it, in quotes. A search of the text, because `->>` refuses text that
 * contains U+0000 anywhere.
 */
const KEY_OF_EVENT = String.raw`substring(metadata::text from '"idempotency_key":("(?:[^"\\]|\\.)*")')`;

/** Only long streams are in the index, so that a new event of a short one costs nothing. */
export const LONG_STREAMS_SQL = `${PLANNED_ONCE_SQL}
create index events_of_long_streams_by_key on events (stream, (${KEY_OF_EVENT})) where revision >= ${FIRST_INDEXED_REVISION};
`;
