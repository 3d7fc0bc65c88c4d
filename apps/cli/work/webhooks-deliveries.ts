import type { Pool } from 'pg';
import type { JsonObject } from '#kernel/json.js';
import {
  type AttemptRow,
  type DeliveryRow,
  type DeliveryStatus,
  findDelivery,
  listAttempts,
  listDeliveries,
} from '#webhooks/endpoint/read-deliveries.js';
import { RedeliverDelivery, ResendDeliveries } from '#webhooks/endpoint/webhook-handlers.js';
import { IS_SENDING } from '#webhooks/deliver/delivery-changes.js';
import type { Call, Outcome } from '../declaration.js';
import { NO_ORGANISATION } from '../command-context.js';
import { CommandError, NotFoundError } from '../command-error.js';
import { withInstallation } from '../installation.js';
import { instantFrom } from '../instant.js';
import { parseIntegerWithin } from '../options.js';
import { sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from '../find-named.js';
import { allEndpoints, requireEndpoint } from './webhooks.js';
import { eventTypeOf } from './webhooks-event-types.js';

/** An operator may send everything. */
const ALL_SCOPES = null;
const MAX_ROWS = 1_000;

/** `workforce webhooks deliveries`. */
export function listAll({ options }: Call): Promise<Outcome> {
  const eventType = options['eventType'] === undefined ? null : eventTypeOf(options['eventType'] as string);
  const count = parseIntegerWithin('--limit', options['limit'], 1, MAX_ROWS)!;
  return withInstallation(async ({ pool }) => {
    const { id: organisationId, time_zone: timeZone } = await requireOrganisation(
      pool,
      options['organisation'] as string,
    );
    const since =
      options['since'] === undefined
        ? null
        : instantFrom('--since', options['since'] as string, timeZone).toISOString();
    const named = options['webhook'] as string | undefined;
    const endpoints =
      named === undefined
        ? await allEndpoints(pool, organisationId)
        : [await requireEndpoint(pool, organisationId, named)];
    const status = (options['status'] as DeliveryStatus | undefined) ?? null;
    // The newest deliveries of each endpoint come from an index and include the newest of all.
    const found = await Promise.all(
      endpoints.map(({ id: webhookId }) =>
        listDeliveries(pool, { organisationId, webhookId, status, eventType, createdSince: since, after: null, count }),
      ),
    );
    const deliveries = found.flat().sort(newestFirst).slice(0, count);
    return { json: { deliveries: deliveries.map(deliveryJson) }, text: textTable(HEADING, deliveries.map(rowOf)) };
  });
}

/** `workforce webhooks delivery`. */
export function showDelivery({ arguments: [deliveryId], options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const { organisationId, delivery, waitsFor } = await requireDelivery(pool, options['organisation'], deliveryId!);
    const attempts = await listAttempts(pool, organisationId, delivery.id);
    const rows = attempts.map((one) => [
      String(one.number),
      one.started_at.toISOString(),
      `${one.duration_ms} ms`,
      answerText(one.http_status),
      one.failure_class ?? 'accepted',
      one.failure_message ?? '',
    ]);
    const text = [
      textTable(HEADING, [rowOf(delivery)]),
      textTable(['ATTEMPT', 'STARTED', 'TOOK', 'ANSWER', 'OUTCOME', 'WHY'], rows),
      ...(waitsFor === null ? [] : [waitsFor]),
    ].join('\n\n');
    return { json: { ...deliveryJson(delivery), waits_for: waitsFor, attempts: attempts.map(attemptJson) }, text };
  });
}

/** `workforce webhooks redeliver`. */
export function redeliverOne({ arguments: [deliveryId], options }: Call): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const found = await requireDelivery(installation.pool, options['organisation'], deliveryId!);
    const { webhook_id: webhookId } = found.delivery;
    const organisation = { ...NO_ORGANISATION, id: found.organisationId };
    const delivery = await sendAsOperator(
      installation,
      organisation,
      (context) => new RedeliverDelivery(context, webhookId, ALL_SCOPES, deliveryId!),
    );
    return {
      json: deliveryJson(delivery),
      text: `Queued ${delivery.id} (${delivery.event_type}) for ${webhookId} again.`,
    };
  });
}

/** `workforce webhooks resend`. */
export function resend({ arguments: [webhookId], options }: Call): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const { pool } = installation;
    const organisation = await requireOrganisation(pool, options['organisation'] as string);
    const since = instantFrom('--since', options['since'] as string, organisation.time_zone);
    const { id, name, status } = await requireEndpoint(pool, organisation.id, webhookId!);
    if (status === 'disabled')
      throw new CommandError(`${name} is disabled: first run workforce webhooks update ${id} --enable.`);
    const resent = await sendAsOperator(
      installation,
      organisation,
      (context) => new ResendDeliveries(context, id, ALL_SCOPES, since),
    );
    const { failed, scheduled, missed, left } = resent;
    const rest =
      left === 0 ? '' : ` There is no room yet for ${left} more: run this command again when these are delivered.`;
    const text = `Queued for ${name} again: ${failed} failed, ${scheduled} waiting for their next attempt, ${missed} missed.${rest}`;
    return { json: { webhook_id: id, since: since.toISOString(), failed, scheduled, missed, left }, text };
  });
}

interface FoundDelivery {
  readonly organisationId: string;
  readonly delivery: DeliveryRow;
  /** Why no worker attempts an unfinished delivery; null where it only waits for its time. */
  readonly waitsFor: string | null;
}

/**
 * The delivery with an id, of the named organisation or of any. Throws {@link CommandError} where there is
 * none.
 */
async function requireDelivery(pool: Pool, organisation: unknown, deliveryId: string): Promise<FoundDelivery> {
  const named = organisation === undefined ? null : (await requireOrganisation(pool, organisation as string)).id;
  const { rows } = await pool.query<{
    organisation_id: string;
    webhook_id: string;
    is_sending: boolean;
    disabled_reason: string | null;
  }>({
    name: 'endpoint-of-delivery',
    text: `select d.organisation_id, d.webhook_id, ${IS_SENDING} as is_sending, w.disabled_reason
             from webhook_deliveries d join webhooks w on w.organisation_id = d.organisation_id and w.id = d.webhook_id
            where d.id = $1 and ($2::text is null or d.organisation_id = $2)`,
    values: [deliveryId, named],
  });
  const [found] = rows;
  const delivery =
    found === undefined ? null : await findDelivery(pool, found.organisation_id, found.webhook_id, deliveryId);
  if (found === undefined || delivery === null)
    throw new NotFoundError(`There is no delivery ${deliveryId}: workforce webhooks deliveries shows the newest.`);
  const isWaiting = ['pending', 'retry_scheduled'].includes(delivery.status) && !found.is_sending;
  const reason = found.disabled_reason === null ? '' : ` (${found.disabled_reason})`;
  const waitsFor = isWaiting
    ? `It waits: the endpoint is disabled${reason}. workforce webhooks update ${found.webhook_id} --enable resumes it.`
    : null;
  return { organisationId: found.organisation_id, delivery, waitsFor };
}

/** The order of the API's pages: ids break ties. */
function newestFirst(one: DeliveryRow, other: DeliveryRow): number {
  return other.created_at.getTime() - one.created_at.getTime() || (one.id < other.id ? 1 : -1);
}

const HEADING = ['CREATED', 'ID', 'WEBHOOK', 'EVENT', 'RESOURCE', 'STATUS', 'ATTEMPTS', 'ANSWER', 'NEXT ATTEMPT'];

function rowOf(row: DeliveryRow): readonly string[] {
  const answer = row.attempt_count === 0 ? '' : answerText(row.last_http_status);
  const next = row.next_attempt_at?.toISOString() ?? '';
  return [
    row.created_at.toISOString(),
    row.id,
    row.webhook_id,
    row.event_type,
    `${row.resource_type} ${row.resource_id}`,
    row.status,
    String(row.attempt_count),
    answer,
    next,
  ];
}

function answerText(status: number | null): string {
  return status === null ? 'none' : String(status);
}

/** The delivery as the API shows it, with the time of the event. */
function deliveryJson({
  resource_id: id,
  resource_type,
  occurred_at,
  next_attempt_at,
  created_at,
  updated_at,
  ...rest
}: DeliveryRow): JsonObject {
  return {
    ...rest,
    resource: { id, resource_type },
    occurred_at: occurred_at.toISOString(),
    next_attempt_at: next_attempt_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

function attemptJson({ started_at, ...rest }: AttemptRow): JsonObject {
  return { ...rest, started_at: started_at.toISOString() };
}
