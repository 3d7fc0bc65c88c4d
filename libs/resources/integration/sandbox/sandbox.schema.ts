/**
 * The sandbox of each organisation that has one of its own: the tenant that its test keys act for, which authentication goes by,
 * and those before it, whose rows are thrown away.
 */
export const SANDBOXES_SCHEMA = `
create table sandboxes (
  organisation_id text collate "C" primary key,
  tenant_id text collate "C",
  opened_on date,
  former_tenants jsonb not null,
  prepared_tenants jsonb not null,
  revision bigint not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create unique index sandboxes_by_tenant on sandboxes (tenant_id);

-- Nothing was recorded of sandboxes yet, so their projection begins where the others are and not with the whole log.
insert into projection_checkpoints (name, position)
select 'sandboxes', min(position) from projection_checkpoints having count(*) > 0 and count(*) = count(position);

create trigger sandboxes_inserted after insert on sandboxes
  referencing new table as changed for each statement execute function bump_authorisation_version();
create trigger sandboxes_updated after update on sandboxes
  referencing new table as changed for each statement execute function bump_authorisation_version();
create trigger sandboxes_deleted after delete on sandboxes
  referencing old table as changed for each statement execute function bump_authorisation_version();
`;
