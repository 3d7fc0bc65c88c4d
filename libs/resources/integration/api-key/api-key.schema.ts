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
