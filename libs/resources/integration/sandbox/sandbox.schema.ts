import { bumpAuthorisationVersion } from '#http/keys/authorisation-version.js';

/**
 * The read table of sandboxes. `tenant_id` is the tenant that the organisation's test keys act for, which authentication reads;
 * `former_tenants` are those before it, whose rows are removed.
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
${bumpAuthorisationVersion('sandboxes')}
`;
