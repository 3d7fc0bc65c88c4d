/**
 * The version of all data that authentication depends on. A process that caches keys or organisations
 * compares the version, or listens to `authorisation_changed`, and drops its cache when the version changes.
 */
export const AUTHORISATION_VERSION_SCHEMA = `
create table authorisation_version (
  only_row boolean primary key default true check (only_row),
  version bigint not null
);
insert into authorisation_version (version) values (1);

create function bump_authorisation_version() returns trigger
language plpgsql as $$
declare
  bumped bigint;
begin
  -- A stream that is projected again writes no row, and must not clear the memory of any process.
  if exists (select from changed) then
    update authorisation_version set version = version + 1 returning version into bumped;
    perform pg_notify('authorisation_changed', bumped::text);
  end if;
  return null;
end $$;
`;

/** The triggers of a table whose rows authentication depends on: every change increments the version. */
export function bumpAuthorisationVersion(table: string): string {
  const trigger = (event: string, done: string, rows: 'new' | 'old'): string => `
create trigger ${table}_${done} after ${event} on ${table}
  referencing ${rows} table as changed for each statement execute function bump_authorisation_version();`;
  return (
    trigger('insert', 'inserted', 'new') + trigger('update', 'updated', 'new') + trigger('delete', 'deleted', 'old')
  );
}

/**
 * Runs after a rebuild of a table that authentication depends on, so that processes read their cached keys
 * and organisations again.
 */
export const FORGET_AUTHORISATIONS = `
with bumped as (update authorisation_version set version = version + 1 returning version)
select pg_notify('authorisation_changed', version::text) from bumped`;
