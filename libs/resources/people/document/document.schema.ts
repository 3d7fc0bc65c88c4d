/**
 * The read table of documents. The name stays sealed here too and is opened when it is read, so that erasing a person's key
 * erases it at once. Removed documents keep their row, with `removed_at`, and are in no answer.
 */
export const DOCUMENTS_SCHEMA = `
create table documents (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  person_id text collate "C" not null,
  sealed_name text not null,
  document_type_id text collate "C" not null,
  content_type text not null,
  byte_size bigint not null,
  issued_on date,
  expires_on date,
  removed_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  sync_mark timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index documents_in_order_of_creation on documents (organisation_id, created_at, id) where removed_at is null;
create index documents_in_order_of_marks on documents (organisation_id, sync_mark, id) where removed_at is null;
create index documents_of_person on documents (organisation_id, person_id, created_at, id) where removed_at is null;
`;
