import type { Pool } from 'pg';

/** Deliveries of a test, inserted directly into their table. */
export interface DeliveryRows {
  readonly organisationId: string;
  readonly webhookId: string;
  /** Their ids are this prefix and a number, starting from 1. */
  readonly prefix: string;
  readonly count: number;
  readonly status: 'pending' | 'retry_scheduled' | 'delivered' | 'failed';
  /**
   * Seconds since they ended or became due. A negative number makes a later attempt due in that many seconds.
   */
  readonly ageSeconds?: number;
  /** Whether a worker holds a lease on them. */
  readonly isLeased?: boolean;
}

/** Inserts an organisation directly into its read table. */
export async function insertOrganisation(pool: Pool, id: string, subdomain: string): Promise<void> {
  await pool.query(
    `insert into organisations (id, revision, name, subdomain, country_code, plan, time_zone, writes_approved, is_sandbox, created_at, updated_at)
     values ($1, 0, 'Organisation', $2, 'GB', 'standard', 'Europe/London', true, false, '2026-01-01', '2026-01-01')`,
    [id, subdomain],
  );
}

/** Inserts deliveries, each with one attempt where its status requires one. */
export async function insertDeliveries(
  pool: Pool,
  { organisationId, webhookId, prefix, count, status, ageSeconds = 0, isLeased = false }: DeliveryRows,
): Promise<void> {
  const attempts = status === 'pending' ? 0 : 1;
  const failure = { pending: null, delivered: null, retry_scheduled: 'http_retryable', failed: 'http_non_retryable' }[
    status
  ];
  const answer = { pending: null, delivered: 200, retry_scheduled: 503, failed: 410 }[status];
  await pool.query(
    `insert into webhook_deliveries (organisation_id, id, webhook_id, event_id, event_type, resource_id, resource_type, occurred_at, status, attempt_count, step, next_attempt_at,
       leased_until, lease_token, last_http_status, failure_class, created_at, updated_at, finished_at, failed_activation)
     select $1, $3 || n, $2, 'evt_' || $3 || n, 'person.updated', 'resource-of-' || n, 'person', moment, $5, $6, $6,
            case when $5 in ('pending', 'retry_scheduled') then moment end,
            case when $8 then clock_timestamp() + interval '30 seconds' end, case when $8 then gen_random_uuid() end, $9, $10,
            least(moment, clock_timestamp()), least(moment, clock_timestamp()), case when $5 in ('delivered', 'failed') then moment end, case when $5 = 'failed' then 1 end
       from generate_series(1, $4::integer) n cross join lateral (select clock_timestamp() - make_interval(secs => $7) + n * interval '1 millisecond' as moment) at`,
    [organisationId, webhookId, prefix, count, status, attempts, ageSeconds, isLeased, answer, failure],
  );
  if (attempts === 0) return;
  await pool.query(
    `insert into webhook_attempts (organisation_id, delivery_id, number, started_at, duration_ms, http_status, failure_class)
     select organisation_id, id, 1, updated_at - interval '20 milliseconds', 20, last_http_status, failure_class from webhook_deliveries
      where organisation_id = $1 and id like $2 || '%'`,
    [organisationId, prefix],
  );
}
