import type { Migration } from '#database/migrations.js';

/** The read table of webhook endpoints. `secret` and `previous_secret` are sealed; a deleted endpoint's row stays, as `deleted`. */
export const WEBHOOKS_SCHEMA = `
create table webhooks (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  name text not null,
  url text not null,
  subscribed_events text[] not null,
  status text not null check (status in ('active', 'disabled', 'deleted')),
  disabled_reason text check (disabled_reason in ('caller', 'delivery_failures', 'delivery_overflow')),
  disabled_at timestamptz(3),
  -- How often the endpoint was activated, its creation included; and the place in the log after which it gets events.
  activation integer not null,
  activated_position text collate "C" not null,
  secret text not null,
  secret_last_four text not null,
  previous_secret text,
  rotated_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index webhooks_in_order on webhooks (organisation_id, created_at, id) where status <> 'deleted';
create index webhooks_active on webhooks (organisation_id) where status = 'active';
`;

/** Which reasons there are is for the decider to say; a receiver that is gone is a later one. */
export const REASONS_OF_WEBHOOKS_MIGRATION: Migration = {
  version: 29,
  name: 'reasons of disabled webhooks',
  sql: `
alter table webhooks drop constraint webhooks_disabled_reason_check;
alter table webhook_stops drop constraint webhook_stops_reason_check;
`,
};
