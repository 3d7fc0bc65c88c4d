/**
 * The read table of provider mappings, and the external ids that are taken (`external-ids.ts`). A removed mapping keeps its row,
 * with `removed_at` and an empty external id, and is in no answer.
 */
export const PROVIDER_MAPPINGS_SCHEMA = `
create table provider_mappings (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  provider_name text collate "C" not null,
  resource_type text collate "C" not null,
  resource_id text collate "C" not null,
  external_id text not null,
  status text not null,
  last_synced_at timestamptz(3),
  removed_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index provider_mappings_in_order_of_creation on provider_mappings (organisation_id, created_at, id) where removed_at is null;
create index provider_mappings_of_provider on provider_mappings (organisation_id, provider_name, created_at, id) where removed_at is null;

create table provider_external_ids (
  organisation_id text collate "C" not null,
  provider_name text collate "C" not null,
  resource_type text collate "C" not null,
  external_id text collate "C" not null,
  mapping_id text collate "C" not null,
  is_confirmed boolean not null default false,
  reserved_at timestamptz not null default clock_timestamp(),
  primary key (organisation_id, provider_name, resource_type, external_id)
);
create index provider_external_ids_of_mapping on provider_external_ids (organisation_id, mapping_id);
`;
