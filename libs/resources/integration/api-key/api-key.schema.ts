import type { Migration } from '#database/migrations.js';
import { bumpAuthorisationVersion } from '#http/keys/authorisation-version.js';

/** The read table of API keys; of the secret it has the SHA-256 alone. */
export const API_KEYS_SCHEMA = `
create table api_keys (
  key_id text collate "C" primary key,
  organisation_id text collate "C" not null,
  revision bigint not null,
  environment text not null check (environment in ('live', 'sandbox')),
  name text not null,
  scopes text[] not null,
  secret_hash bytea not null unique,
  prefix text not null,
  last_four text not null,
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index api_keys_of_organisation on api_keys (organisation_id, created_at, key_id);
${bumpAuthorisationVersion('api_keys')}
`;

/** Sets who made the rows of a table, from the first event of each stream: the log is in PostgreSQL, or the places of its events are. */
const madeBy = (table: string, category: string, id: string): string => `
alter table ${table} add column made_by_type text, add column made_by_id text;
update ${table} made set (made_by_type, made_by_id) = (
  select coalesce(e.metadata -> 'actor' ->> 'type', a.actor_type), coalesce(e.metadata -> 'actor' ->> 'id', a.actor_id)
    from (values ('${category}-' || made.organisation_id || '.' || made.${id})) as of(stream)
    left join events e on e.stream = of.stream and e.revision = 0
    left join activity a on a.organisation_id = made.organisation_id and a.stream = of.stream and a.revision = 0);
create index ${table}_by_maker on ${table} (organisation_id, made_by_type, made_by_id);
`;

/** Who made each key and each user: the actor of its first event. Null in what a program before this step writes while an upgrade runs. */
export const MAKERS_MIGRATION: Migration = {
  version: 28,
  name: 'makers of keys and users',
  sql: madeBy('api_keys', 'api-key', 'key_id') + madeBy('users', 'user', 'id'),
};
