import type { Pool } from 'pg';
import { IS_SENDING } from '#webhooks/deliver/delivery-changes.js';
import {
  DELIVERY_STATUSES,
  type DeliveryRow,
  findDelivery,
  listAttempts,
  listDeliveries,
} from '#webhooks/endpoint/read-deliveries.js';
import { findWebhook, listWebhooks, type WebhookRow } from '#webhooks/endpoint/webhook.js';
import { RedeliverDelivery, ResendDeliveries } from '#webhooks/endpoint/webhook-handlers.js';
import { command } from '../command.js';
import { NO_ORGANISATION } from '../command-context.js';
import { CommandError, NotFoundError } from '../command-error.js';
import type { Parameter, Scope } from '../declaration.js';
import { requireFound } from '../find-named.js';
import { instantFrom } from '../instant.js';
import {
  ALL_ROWS,
  argument,
  choice,
  lookedUp,
  numberWithin,
  ORGANISATION,
  organisation,
  required,
  text,
  withDefault,
} from '../options.js';
import { tableOf } from '../text-table.js';
import { eventTypeOf } from '../work/event-types.js';

/** An operator may send everything. */
const ALL_SCOPES = null;
const MAX_ROWS = 1_000;

const WITHIN = organisation('id or subdomain (default: found from the id of the delivery)');

const DELIVERY: { readonly delivery: Parameter<NamedDelivery> } = {
  delivery: required(lookedUp('', 'id of the delivery', requireDelivery)),
};

/** The commands of `workforce webhooks` about deliveries. */
export const deliveryCommands = {
  deliveries: command({
    description: 'list deliveries, newest first',
    options: {
      organisation: ORGANISATION,
      webhook: text('<webhook>', 'only deliveries to the endpoint with this id'),
      status: choice('<status>', 'only deliveries in this state', DELIVERY_STATUSES),
      event_type: text('<type>', 'only deliveries of events of this type', eventTypeOf),
      since: since(
        "only deliveries created since then: a date (from its start in the organisation's time zone) or a date-time",
      ),
      limit: withDefault(numberWithin('<number>', 'maximum number of deliveries', [1, MAX_ROWS]), '50'),
    },
    run: async (given, { pool }) => {
      const { webhook, status = null, event_type: eventType = null, since: from, limit: count } = given;
      const { id: organisationId } = given.organisation;
      const createdSince = from?.toISOString() ?? null;
      const endpoints =
        webhook === undefined
          ? await allEndpoints(pool, organisationId)
          : [await requireEndpoint(pool, organisationId, webhook)];
      // The newest deliveries of each endpoint come from an index and include the newest of all.
      const found = await Promise.all(
        endpoints.map(({ id: webhookId }) =>
          listDeliveries(pool, { organisationId, webhookId, status, eventType, createdSince, after: null, count }),
        ),
      );
      const deliveries = found.flat().sort(newestFirst).slice(0, count);
      return { json: { deliveries: deliveries.map(deliveryJson) }, text: deliveryTable(deliveries) };
    },
  }),
  delivery: command({
    description: 'show a delivery with its attempts',
    arguments: DELIVERY,
    options: { organisation: WITHIN },
    run: async ({ delivery: { organisationId, delivery, waitsFor } }, { pool }) => {
      const attempts = await listAttempts(pool, organisationId, delivery.id);
      const table = tableOf(
        {
          ATTEMPT: 'number',
          STARTED: 'started_at',
          TOOK: (one) => `${one.duration_ms} ms`,
          ANSWER: (one) => answerText(one.http_status),
          OUTCOME: (one) => one.failure_class ?? 'accepted',
          WHY: 'failure_message',
        },
        attempts,
      );
      const text = [deliveryTable([delivery]), table, ...(waitsFor === null ? [] : [waitsFor])].join('\n\n');
      return { json: { ...deliveryJson(delivery), waits_for: waitsFor, attempts }, text };
    },
  }),
  redeliver: command({
    description: 'resend a delivery that failed or waits for its next attempt',
    arguments: DELIVERY,
    options: { organisation: WITHIN },
    run: async ({ delivery: { organisationId, delivery: known } }, { send }) => {
      const { id, webhook_id: webhookId } = known;
      const delivery = await send((context) => new RedeliverDelivery(context, webhookId, ALL_SCOPES, id), {
        ...NO_ORGANISATION,
        id: organisationId,
      });
      const text = `Queued ${delivery.id} (${delivery.event_type}) for ${webhookId} again.`;
      return { json: deliveryJson(delivery), text };
    },
  }),
  resend: command({
    description: 'resend failed and waiting deliveries to an endpoint, and events that it missed while disabled',
    arguments: { webhook: argument('id of the endpoint') },
    options: {
      organisation: ORGANISATION,
      since: required(
        since("events since then: a date (from its start in the organisation's time zone) or a date-time"),
      ),
    },
    run: async ({ webhook, organisation: { id: organisationId }, since: from }, { pool, send }) => {
      const { id, name, status } = await requireEndpoint(pool, organisationId, webhook);
      if (status === 'disabled')
        throw new CommandError(`${name} is disabled: first run workforce webhooks update ${id} --enable.`);
      const resent = await send((context) => new ResendDeliveries(context, id, ALL_SCOPES, from));
      const { failed, scheduled, missed, left } = resent;
      const rest =
        left === 0 ? '' : ` There is no room yet for ${left} more: run this command again when these are delivered.`;
      return {
        json: { webhook_id: id, since: from, failed, scheduled, missed, left },
        text: `Queued for ${name} again: ${failed} failed, ${scheduled} waiting for their next attempt, ${missed} missed.${rest}`,
      };
    },
  }),
};

/** A date, which means its beginning in the time zone of the organisation, or a date-time. */
function since(description: string): Parameter<Date | undefined> {
  return lookedUp('<when>', description, ({ organisation: of }, given, name) =>
    instantFrom(name, given, of!.time_zone),
  );
}

/** The endpoint with an id. Throws `NotFoundError` if the organisation has none with it. */
export async function requireEndpoint(pool: Pool, organisationId: string, webhookId: string): Promise<WebhookRow> {
  return requireFound(await findWebhook(pool, organisationId, webhookId), 'webhook', webhookId, 'webhooks list');
}

/** All endpoints of an organisation, in the order of their creation. */
export function allEndpoints(pool: Pool, organisationId: string): Promise<readonly WebhookRow[]> {
  return listWebhooks(pool, { organisationId, ...ALL_ROWS });
}

interface NamedDelivery {
  readonly organisationId: string;
  readonly delivery: DeliveryRow;
  /** Why no worker attempts an unfinished delivery; null if it only waits for its time. */
  readonly waitsFor: string | null;
}

/** A delivery of the organisation that is named, or of any. */
async function requireDelivery({ pool, organisation }: Scope, deliveryId: string): Promise<NamedDelivery> {
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
    values: [deliveryId, organisation?.id ?? null],
  });
  const [found] = rows;
  const delivery = found && (await findDelivery(pool, found.organisation_id, found.webhook_id, deliveryId));
  if (!found || !delivery)
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

function deliveryTable(deliveries: readonly DeliveryRow[]): string {
  return tableOf(
    {
      CREATED: 'created_at',
      ID: 'id',
      WEBHOOK: 'webhook_id',
      EVENT: 'event_type',
      RESOURCE: (one) => `${one.resource_type} ${one.resource_id}`,
      STATUS: 'status',
      ATTEMPTS: 'attempt_count',
      ANSWER: (one) => (one.attempt_count === 0 ? '' : answerText(one.last_http_status)),
      'NEXT ATTEMPT': 'next_attempt_at',
    },
    deliveries,
  );
}

function answerText(status: number | null): string {
  return status === null ? 'none' : String(status);
}

/** The delivery in the form of the API, with the time of the event. */
function deliveryJson({ resource_id: id, resource_type, ...row }: DeliveryRow): object {
  return { ...row, resource: { id, resource_type } };
}
