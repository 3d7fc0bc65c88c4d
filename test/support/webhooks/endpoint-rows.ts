import type { Pool } from 'pg';
import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';

/** The fields of a test endpoint that differ from the defaults. */
export interface EndpointRow {
  readonly organisationId: string;
  readonly id: string;
  readonly url?: string;
  readonly subscribedEvents?: readonly string[];
  /** Encrypted. */
  readonly secret?: string;
  readonly activation?: number;
  readonly activatedPosition?: string;
}

/** Inserts an endpoint directly into the read table, for tests of code that reads it. */
export async function insertEndpoint(pool: Pool, row: EndpointRow): Promise<void> {
  await pool.query(
    `insert into webhooks (organisation_id, id, revision, name, url, subscribed_events, status, activation, activated_position, secret, secret_last_four, created_at, updated_at)
     values ($1, $2, 0, 'Endpoint', $3, $4, 'active', $5, $6, $7, 'abcd', '2026-01-01', '2026-01-01')`,
    [
      row.organisationId,
      row.id,
      row.url ?? 'http://127.0.0.1:9',
      row.subscribedEvents ?? Object.keys(WEBHOOK_EVENTS),
      row.activation ?? 1,
      row.activatedPosition ?? '',
      row.secret ?? 'sealed',
    ],
  );
}

/** Inserts `count` rows of events, numbered from `first`, as if the log contained these events. */
export async function insertEvents(
  pool: Pool,
  organisationId: string,
  first: number,
  count: number,
  type = 'person.updated',
): Promise<void> {
  await pool.query(
    `insert into webhook_events (organisation_id, id, type, resource_id, resource_type, occurred_at, position)
     select $1, 'event ' || n, $4, 'person ' || n, split_part($4, '.', 1), clock_timestamp(), lpad(n::text, 10, '0') from generate_series($2::integer, $2 + $3 - 1) n`,
    [organisationId, first, count, type],
  );
}
