import type { CreationPlace } from '#http/pages.js';
import { prepared, raw, sql } from '#database/sql.js';
import type { Executor } from '#projections/projection.js';
import type { SealedSecrets } from '#webhooks/send/secrets-in-force.js';
import type { DisabledReason } from './webhook.decider.js';

/** A row of `webhooks` without its secrets; deleted endpoints have none. */
export interface WebhookRow {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly subscribed_events: readonly string[];
  readonly status: 'active' | 'disabled';
  readonly disabled_reason: DisabledReason | null;
  readonly disabled_at: Date | null;
  readonly secret_last_four: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The reason of a stop by a rule, and the endpoint's activation that it concerns. */
export interface WebhookStop {
  readonly reason: Exclude<DisabledReason, 'caller'>;
  readonly activation: number;
}

/** Where a page of endpoints begins; it runs in the order of creation. */
export interface WebhookPage {
  readonly organisationId: string;
  /** The last row of the page before. */
  readonly after: CreationPlace | null;
  /** Rows to fetch. */
  readonly count: number;
}

/** A rule stops an endpoint immediately, and the event that disables it follows. Until then, no response shows the endpoint as active. */
const STOPS =
  "left join webhook_stops s on s.organisation_id = w.organisation_id and s.webhook_id = w.id and s.activation = w.activation and w.status = 'active'";
export const STATUS_WITH_STOPS = "case when s.reason is null then w.status else 'disabled' end";
export const WEBHOOKS_WITH_STOPS = `webhooks w ${STOPS}`;

const COLUMNS = `w.id, w.name, w.url, w.subscribed_events, ${STATUS_WITH_STOPS} as status, coalesce(s.reason, w.disabled_reason) as disabled_reason,
  coalesce(s.stopped_at, w.disabled_at) as disabled_at, w.secret_last_four, w.created_at, w.updated_at`;

/** For queries whose first value is the organisation. */
const EXISTS = `w.organisation_id = $1 and w.status <> 'deleted'`;

/** A page of endpoints. */
export async function listWebhooks(executor: Executor, { organisationId, after, count }: WebhookPage): Promise<readonly WebhookRow[]> {
  const isLater = after === null ? sql`` : sql` and (w.created_at, w.id) > (${after.createdAt}, ${after.id})`;
  const { rows } = await executor.query<WebhookRow>(
    prepared(sql`select ${raw(COLUMNS)} from ${raw(WEBHOOKS_WITH_STOPS)}
      where w.organisation_id = ${organisationId} and w.status <> 'deleted'${isLater} order by w.created_at, w.id limit ${count}`),
  );
  return rows;
}

/** The endpoint; null where this organisation has none with this id, or it was deleted. */
export async function findWebhook(executor: Executor, organisationId: string, webhookId: string): Promise<WebhookRow | null> {
  const { rows } = await executor.query<WebhookRow>({
    name: 'find-webhook',
    text: `select ${COLUMNS} from ${WEBHOOKS_WITH_STOPS} where ${EXISTS} and w.id = $2`,
    values: [organisationId, webhookId],
  });
  return rows[0] ?? null;
}

/** The encrypted secrets of an endpoint; null where this organisation has none with this id, or it was deleted. */
export async function findSealedSecrets(executor: Executor, organisationId: string, webhookId: string): Promise<SealedSecrets | null> {
  const { rows } = await executor.query<SealedSecrets>({
    name: 'find-webhook-secrets',
    text: `select secret, previous_secret, rotated_at from webhooks w where ${EXISTS} and id = $2`,
    values: [organisationId, webhookId],
  });
  return rows[0] ?? null;
}

/** The stop by a rule in the endpoint's present activation whose disabling event is still to be recorded; null where there is none. */
export async function findStop(executor: Executor, organisationId: string, webhookId: string): Promise<WebhookStop | null> {
  const { rows } = await executor.query<WebhookStop>({
    name: 'find-webhook-stop',
    text: `select s.reason, s.activation from ${WEBHOOKS_WITH_STOPS} where w.organisation_id = $1 and w.id = $2 and s.reason is not null`,
    values: [organisationId, webhookId],
  });
  return rows[0] ?? null;
}

/** The number of active endpoints of the organisation, without this one. */
export async function countActiveBeside(executor: Executor, organisationId: string, webhookId: string): Promise<number> {
  const { rows } = await executor.query<{ count: number }>({
    name: 'count-active-webhooks',
    text: `select count(*)::integer as count from webhooks where organisation_id = $1 and status = 'active' and id <> $2`,
    values: [organisationId, webhookId],
  });
  return rows[0]!.count;
}
