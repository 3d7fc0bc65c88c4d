/**
 * Versions of names, a part of the baseline that migration 31 drops: names are now joined when they are read.
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

/** The triggers of a table with names; the same part of the baseline. */
export function noteChangesOfNames(table: string, column: string): string {
  return `
create trigger ${table}_gain_or_lose_names after insert or delete on ${table} for each row execute function note_change_of_name();
create trigger ${table}_change_names after update on ${table} for each row
  when (old.${column} is distinct from new.${column}) execute function note_change_of_name();
`;
}
