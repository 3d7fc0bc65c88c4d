/** The read table of one dictionary: entries with a label that are in use or not. */
export function dictionarySchema(table: string): string {
  return `
create table ${table} (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  label text not null,
  name_key text collate "C" not null,
  is_active boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index ${table}_by_label on ${table} (organisation_id, name_key);
`;
}
