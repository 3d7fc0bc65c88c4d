/**
 * The read table of what people have in custom fields: by field, the value as it is sealed in the event that set it (null
 * where it was cleared), and when. It is opened when it is read, so that nothing of it is left once the person's key is gone.
 */
export const PERSON_CUSTOM_FIELDS_SCHEMA = `
create table person_custom_fields (
  organisation_id text collate "C" not null,
  person_id text collate "C" not null,
  revision bigint not null,
  sealed_values jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, person_id)
);
`;
