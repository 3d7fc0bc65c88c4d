/**
 * The version of an organisation's names of org units, work places, work types, working patterns and time-off categories. Any change of a name increments it in the
 * same transaction, and the lock on the version's row lasts until the commit: two snapshots with the same version have the same names.
 */
export const REFERENCE_VERSIONS_SCHEMA = `
create table reference_versions (
  organisation_id text collate "C" primary key,
  version bigint not null
) with (fillfactor = 50);

create function note_change_of_name() returns trigger language plpgsql as $$
begin
  insert into reference_versions as v (organisation_id, version) values (coalesce(new.organisation_id, old.organisation_id), 1)
  on conflict (organisation_id) do update set version = v.version + 1;
  return null;
end $$;
`;

/** The triggers of a table whose rows people refer to; `column` contains the shown name. */
export function noteChangesOfNames(table: string, column: string): string {
  return `
create trigger ${table}_gain_or_lose_names after insert or delete on ${table} for each row execute function note_change_of_name();
create trigger ${table}_change_names after update on ${table} for each row
  when (old.${column} is distinct from new.${column}) execute function note_change_of_name();
`;
}

/** For the select list of a statement about one organisation, `$1`: the version of its names; null where it has none. */
export const NAMES_VERSION = '(select v.version from reference_versions v where v.organisation_id = $1)';

/** A statement for rebuilt tables of names, after which processes reload the names that they cache. */
export const FORGET_NAMES = 'update reference_versions set version = version + 1';
