/**
 * The SQL of the lock under which references to a stream's aggregate were recorded, the same as in
 * `references.ts`.
 */
const LOCK_OF = (stream: string): string => `hashtextextended('references to ' || ${stream}, 0)`;

const settleReferenceLocks = ({
  create,
  declarations = '',
  watch,
}: {
  readonly create: string;
  readonly declarations?: string;
  readonly watch: string;
}): string => `
${create} settle_reference_locks(released text[], wanted text[], watched text[])
returns table (name text, is_granted boolean, is_unfinished boolean, is_awaited boolean)
language plpgsql as $$
${declarations}begin
  foreach name in array released loop
    perform pg_advisory_unlock_shared(${LOCK_OF('name')});
  end loop;
  is_awaited := false;
  foreach name in array wanted loop
    is_granted := pg_try_advisory_lock_shared(${LOCK_OF('name')});
    is_unfinished := is_granted and exists (select from retirements_under_way r where r.stream = name);
    return next;
  end loop;
${watch}
end
$$;
`;

/** Reference locks of programs before step 32, which drops both. */
export const REFERENCE_LOCKS_SCHEMA = `
create table retirements_under_way (
  stream text collate "C" primary key,
  begun_at timestamptz not null default clock_timestamp()
);
${settleReferenceLocks({
  create: 'create function',
  declarations: 'declare\n  lock_key bigint;\n',
  watch: `  is_granted := true;
  is_unfinished := false;
  foreach name in array watched loop
    lock_key := ${LOCK_OF('name')};
    is_awaited := exists (
      select from pg_locks l
       where l.locktype = 'advisory' and not l.granted and l.objsubid = 1
         and l.database = (select d.oid from pg_database d where d.datname = current_database())
         and l.classid::bigint = ((lock_key >> 32) & 4294967295) and l.objid::bigint = (lock_key & 4294967295));
    return next;
  end loop;`,
})}`;

/** The same, with one query of the server's locks for all watched ones. */
export const WATCH_LOCKS_TOGETHER_SQL = settleReferenceLocks({
  create: 'create or replace function',
  watch: `  if cardinality(watched) > 0 then
    return query
      with awaited as materialized (
        select l.classid::bigint << 32 | l.objid::bigint as key from pg_locks l
         where l.locktype = 'advisory' and not l.granted and l.objsubid = 1
           and l.database = (select d.oid from pg_database d where d.datname = current_database())
      )
      select w.name, true, false, ${LOCK_OF('w.name')} in (select a.key from awaited a) from unnest(watched) as w (name);
  end if;`,
});
