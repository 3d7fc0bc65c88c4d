import type { Migration } from '#database/migrations.js';
import type { Executor } from '#projections/projection.js';

/**
 * The request and the response of each attempt, encrypted, because a response may contain any data of its
 * receiver. A row is readable for a day, and the retention job then deletes it. Backups exclude the table.
 */
export const EXCHANGES_MIGRATION: Migration = {
  version: 33,
  name: 'exchanges with receivers of webhooks',
  sql: `
create table webhook_exchanges (
  organisation_id text collate "C" not null,
  delivery_id text collate "C" not null,
  number integer not null,
  recorded_at timestamptz(3) not null default clock_timestamp(),
  exchange text not null,
  primary key (organisation_id, delivery_id, number)
);
-- Rows are in the order of time, so that blocks of rows to delete are found by their range.
create index webhook_exchanges_by_time on webhook_exchanges using brin (recorded_at);
`,
};

/** SQL condition of the rows of `webhook_exchanges` that may still be read. */
export const KEPT_EXCHANGES = `recorded_at > clock_timestamp() - interval '1 day'`;

/** The retained exchanges of a delivery's attempts, still encrypted, from the first one. */
export async function readExchanges(
  executor: Executor,
  { organisationId, deliveryId }: { readonly organisationId: string; readonly deliveryId: string },
): Promise<readonly { readonly number: number; readonly exchange: string }[]> {
  const { rows } = await executor.query<{ number: number; exchange: string }>({
    name: 'read-exchanges',
    text: `select number, exchange from webhook_exchanges
            where organisation_id = $1 and delivery_id = $2 and ${KEPT_EXCHANGES} order by number`,
    values: [organisationId, deliveryId],
  });
  return rows;
}
