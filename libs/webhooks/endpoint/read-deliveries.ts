import { allOf, prepared, raw, type Sql, sql } from '#database/sql.js';
import type { CreationCursor } from '#http/pages.js';
import type { Executor } from '#projections/projection.js';
import { STATUS_WITH_STOPS, WEBHOOKS_WITH_STOPS } from './webhook.js';

/** States of a delivery (contract part 3). */
export const DELIVERY_STATUSES = ['pending', 'retry_scheduled', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/**
 * The reason for a failed attempt: there was no response, a response that allows a retry, or one that does
 * not.
 */
export const FAILURE_CLASSES = ['network', 'http_retryable', 'http_non_retryable'] as const;
export type FailureClass = (typeof FAILURE_CLASSES)[number];

/** A row of `webhook_deliveries`. */
export interface DeliveryRow {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly resource_id: string;
  readonly resource_type: string;
  readonly occurred_at: Date;
  readonly status: DeliveryStatus;
  readonly attempt_count: number;
  readonly next_attempt_at: Date | null;
  readonly last_http_status: number | null;
  readonly failure_class: FailureClass | null;
  readonly failure_message: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** A row of `webhook_attempts`. */
export interface AttemptRow {
  readonly number: number;
  readonly started_at: Date;
  readonly duration_ms: number;
  readonly http_status: number | null;
  readonly failure_class: FailureClass | null;
  readonly failure_message: string | null;
}

/** The deliveries that a page contains. Null filters match all. */
export interface DeliveryFilters {
  readonly status: DeliveryStatus | null;
  readonly eventType: string | null;
  /** Inclusive. */
  readonly createdSince: string | null;
}

/** A page of deliveries, from the newest to the oldest. */
export interface PageOfDeliveries extends DeliveryFilters {
  readonly organisationId: string;
  /** The last row of the previous page. */
  readonly after: CreationCursor | null;
  /** Rows to fetch. */
  readonly count: number;
}

/** A page of the deliveries of an endpoint. */
export interface DeliveryPage extends PageOfDeliveries {
  readonly webhookId: string;
}

const COLUMNS = `id, webhook_id, event_id, event_type, resource_id, resource_type, occurred_at, status, attempt_count,
  next_attempt_at, last_http_status, failure_class, failure_message, created_at, updated_at`;

/** A page of deliveries. */
export async function listDeliveries(executor: Executor, page: DeliveryPage): Promise<readonly DeliveryRow[]> {
  const ofEndpoint = sql`organisation_id = ${page.organisationId} and webhook_id = ${page.webhookId}`;
  const { rows } = await executor.query<DeliveryRow>(prepared(newestOf(ofEndpoint, page)));
  return rows;
}

/** A delivery with the name of its endpoint. */
export interface NamedDeliveryRow extends DeliveryRow {
  readonly webhook_name: string;
}

/** A page of the deliveries of all endpoints: the newest of each, merged. */
export async function listAllDeliveries(
  executor: Executor,
  page: PageOfDeliveries,
): Promise<readonly NamedDeliveryRow[]> {
  const ofEndpoint = sql`organisation_id = w.organisation_id and webhook_id = w.id`;
  const { rows } = await executor.query<NamedDeliveryRow>(
    sql`select d.*, w.name as webhook_name from webhooks w cross join lateral (${newestOf(ofEndpoint, page)}) d
      where w.organisation_id = ${page.organisationId} and w.status <> 'deleted'
      order by d.created_at desc, d.id desc limit ${page.count}`,
  );
  return rows;
}

function newestOf(ofEndpoint: Sql, { status, eventType, createdSince, after, count }: PageOfDeliveries): Sql {
  const conditions = [ofEndpoint];
  if (status !== null) conditions.push(sql`status = ${status}`);
  if (eventType !== null) conditions.push(sql`event_type = ${eventType}`);
  if (createdSince !== null) conditions.push(sql`created_at >= ${createdSince}`);
  if (after !== null) conditions.push(sql`(created_at, id) < (${after.createdAt}, ${after.id})`);
  return sql`select ${raw(COLUMNS)} from webhook_deliveries where ${allOf(conditions)}
        order by created_at desc, id desc limit ${count}`;
}

/** The delivery; null if this endpoint has none with this id. */
export async function findDelivery(
  executor: Executor,
  organisationId: string,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryRow | null> {
  const { rows } = await executor.query<DeliveryRow>({
    name: 'find-delivery',
    text: `select ${COLUMNS} from webhook_deliveries where organisation_id = $1 and webhook_id = $2 and id = $3`,
    values: [organisationId, webhookId, deliveryId],
  });
  return rows[0] ?? null;
}

/** All attempts of a delivery, from the first one. */
export async function listAttempts(
  executor: Executor,
  organisationId: string,
  deliveryId: string,
): Promise<readonly AttemptRow[]> {
  const { rows } = await executor.query<AttemptRow>({
    name: 'list-attempts',
    text: `select number, started_at, duration_ms, http_status, failure_class, failure_message from webhook_attempts
            where organisation_id = $1 and delivery_id = $2 order by number`,
    values: [organisationId, deliveryId],
  });
  return rows;
}

/** Counts and times of an endpoint's retained deliveries. */
export interface DeliveryHealth extends Readonly<Record<DeliveryStatus, number>> {
  readonly webhook_status: 'active' | 'disabled';
  /** When a delivery was last accepted. */
  readonly last_success_at: Date | null;
  /** The earliest next attempt of the waiting deliveries. */
  readonly next_attempt_at: Date | null;
  /**
   * When an attempt last failed, even of a delivery that was delivered since; the other `failure_…` fields
   * are null if this is null.
   */
  readonly failed_at: Date | null;
  readonly failure_class: FailureClass | null;
  readonly failure_http_status: number | null;
  readonly failure_message: string | null;
}

const HEALTH = `
select ${STATUS_WITH_STOPS} as webhook_status, waiting.*, delivered.*, failed.*, failure.*
  from ${WEBHOOKS_WITH_STOPS}
  cross join lateral (
    select count(*) filter (where d.status = 'pending')::integer as pending,
      count(*) filter (where d.status = 'retry_scheduled')::integer as retry_scheduled,
           min(d.next_attempt_at) as next_attempt_at
      from webhook_deliveries d where d.organisation_id = w.organisation_id and d.webhook_id = w.id
        and d.status in ('pending', 'retry_scheduled')
  ) waiting
  cross join lateral (
    select count(*)::integer as delivered, max(d.finished_at) as last_success_at
      from webhook_deliveries d where d.organisation_id = w.organisation_id and d.webhook_id = w.id
        and d.status = 'delivered'
  ) delivered
  cross join lateral (
    select count(*)::integer as failed
      from webhook_deliveries d where d.organisation_id = w.organisation_id and d.webhook_id = w.id
        and d.status = 'failed'
  ) failed
  left join lateral (
    select a.started_at + a.duration_ms * interval '1 millisecond' as failed_at, a.failure_class,
      a.http_status as failure_http_status, a.failure_message
      from webhook_deliveries d
      join webhook_attempts a on a.organisation_id = d.organisation_id and a.delivery_id = d.id
     where d.organisation_id = w.organisation_id and d.webhook_id = w.id and (d.attempt_count > 1
       or (d.attempt_count = 1 and d.status <> 'delivered'))
       and a.failure_class is not null
     order by a.started_at desc, a.number desc limit 1
  ) failure on true
 where w.organisation_id = $1 and w.id = $2 and w.status <> 'deleted'`;

/**
 * Reads the health of an endpoint's deliveries; null if this organisation has no endpoint with this id, or it
 * was deleted.
 */
export async function findDeliveryHealth(
  executor: Executor,
  organisationId: string,
  webhookId: string,
): Promise<DeliveryHealth | null> {
  const { rows } = await executor.query<DeliveryHealth>({
    name: 'find-delivery-health',
    text: HEALTH,
    values: [organisationId, webhookId],
  });
  return rows[0] ?? null;
}
