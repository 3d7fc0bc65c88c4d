import type { Migration } from '#database/migrations.js';
import { bumpAuthorisationVersion } from '#http/keys/authorisation-version.js';

/** The read table of organisations. */
export const ORGANISATIONS_SCHEMA = `
create table organisations (
  id text collate "C" primary key,
  revision bigint not null,
  name text not null,
  subdomain text collate "C" not null unique,
  country_code text not null,
  plan text not null,
  time_zone text not null,
  logo_url text,
  primary_color_light text,
  primary_color_dark text,
  writes_approved boolean not null,
  is_sandbox boolean not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  -- Every time zone the organisation has had, oldest first: a moment recorded earlier belongs to the date it had then.
  time_zones jsonb
);
${bumpAuthorisationVersion('organisations')}
`;

/** False for the organisations that are there already: in them, days on which banks close count on past days. */
export const PUBLIC_HOLIDAYS_ONLY: Migration = {
  version: 23,
  name: 'organisations whose holidays are those by law',
  sql: 'alter table organisations add column public_holidays_only boolean not null default false;',
};
