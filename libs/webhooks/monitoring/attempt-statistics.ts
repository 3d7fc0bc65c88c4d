import type { Executor } from '#projections/projection.js';

/** The periods of statistics: the number of their parts, and the seconds of a part. */
export const STATISTICS_PERIODS = {
  hour: { parts: 60, seconds: 60 },
  day: { parts: 48, seconds: 1_800 },
  week: { parts: 42, seconds: 14_400 },
  month: { parts: 30, seconds: 86_400 },
} as const;
export type StatisticsPeriod = keyof typeof STATISTICS_PERIODS;

/** The attempts that began in one part of a period. */
export interface AttemptPart {
  /** Its beginning. */
  readonly at: Date;
  readonly attempts: number;
  readonly failed: number;
  /** Milliseconds until the response or the failure: the median, and the 95th percentile. */
  readonly median_ms: number | null;
  readonly slow_ms: number | null;
}

// Deliveries that were created before the period have attempts in it if they were retried or sent again; an
// index finds those. One hour before the period covers late first attempts.
const STATISTICS = `
with period as materialized (
  select date_bin(make_interval(secs => $3), clock_timestamp(), 'epoch')
    - make_interval(secs => $3::double precision * ($4 - 1)) as first
), attempts as (
  select date_bin(make_interval(secs => $3), a.started_at, 'epoch') as at, a.duration_ms, a.failure_class
    from period p
    join webhooks w on w.organisation_id = $1 and ($2::text is null or w.id = $2) and w.status <> 'deleted'
    join webhook_deliveries d on d.organisation_id = w.organisation_id and d.webhook_id = w.id
     and (d.created_at >= p.first - interval '1 hour'
       or d.attempt_count > 1 or (d.attempt_count = 1 and d.status <> 'delivered'))
    join webhook_attempts a on a.organisation_id = d.organisation_id and a.delivery_id = d.id
     and a.started_at >= p.first
)
select part.at, count(a.at)::integer as attempts, count(a.failure_class)::integer as failed,
  round(percentile_cont(0.5) within group (order by a.duration_ms))::integer as median_ms,
  round(percentile_cont(0.95) within group (order by a.duration_ms))::integer as slow_ms
  from period p
  cross join generate_series(0, $4 - 1) n
  cross join lateral (select p.first + make_interval(secs => $3::double precision * n) as at) part
  left join attempts a on a.at = part.at
 group by part.at order by part.at`;

/**
 * The attempts of an endpoint, or of all endpoints of an organisation, in each part of a period up to now;
 * parts without attempts are included. Attempts are retained for 30 days.
 */
export async function readAttemptStatistics(
  executor: Executor,
  {
    organisationId,
    webhookId,
    period,
  }: { readonly organisationId: string; readonly webhookId: string | null; readonly period: StatisticsPeriod },
): Promise<readonly AttemptPart[]> {
  const { parts, seconds } = STATISTICS_PERIODS[period];
  const { rows } = await executor.query<AttemptPart>(STATISTICS, [organisationId, webhookId, seconds, parts]);
  return rows;
}
