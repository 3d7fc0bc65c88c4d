import type { Pool } from 'pg';
import { type JsonObject, namedFields } from '#kernel/json.js';
import { presentHealth } from '#webhooks/endpoint/delivery-shapes.js';
import { type DeliveryHealth, findDeliveryHealth } from '#webhooks/endpoint/read-deliveries.js';
import type { WebhookChanges, WebhookWithSecret } from '#webhooks/endpoint/manage-webhooks.js';
import { type Endpoint, findWebhook, listWebhooks, type WebhookRow } from '#webhooks/endpoint/webhook.js';
import {
  ChangeWebhook,
  CreateWebhook,
  DeleteWebhook,
  RotateWebhookSecret,
  TestWebhook,
} from '#webhooks/endpoint/webhook-handlers.js';
import { findNotices } from '#webhooks/publish/notices.js';
import type { Call, Outcome } from '../declaration.js';
import { NotFoundError, UsageError } from '../command-error.js';
import { withInstallation } from '../installation.js';
import { type CommandOf, sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from '../find-named.js';
import { eventTypesOf, eventTypesText } from './webhooks-event-types.js';

/** An operator may subscribe to everything. */
const ALL_SCOPES = null;
const ROWS_AT_ONCE = 1_000;

/** `workforce webhooks list`. */
export function listEndpoints({ options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const { id: organisationId } = await requireOrganisation(pool, options['organisation'] as string);
    const endpoints = await allEndpoints(pool, organisationId);
    const found = await Promise.all(
      endpoints.map(async (endpoint) => ({
        endpoint,
        health: await findDeliveryHealth(pool, organisationId, endpoint.id),
      })),
    );
    // An endpoint that was deleted in the meantime has no health.
    const known = found.filter((one): one is { endpoint: WebhookRow; health: DeliveryHealth } => one.health !== null);
    const rows = known.map(({ endpoint, health }) => [
      endpoint.id,
      endpoint.name,
      endpoint.url,
      statusText(endpoint),
      ...[health.pending, health.retry_scheduled, health.delivered, health.failed].map(String),
      eventTypesText(endpoint.subscribed_events),
    ]);
    const text = textTable(['ID', 'NAME', 'URL', 'STATUS', 'PENDING', 'RETRY', 'DELIVERED', 'FAILED', 'EVENTS'], rows);
    return {
      json: {
        webhooks: known.map(({ endpoint, health }) => ({
          ...endpointJson(endpoint),
          ...healthJson(endpoint.id, health),
        })),
      },
      text,
    };
  });
}

/** `workforce webhooks create`. */
export function createEndpoint(call: Call): Promise<Outcome> {
  const endpoint: Endpoint = {
    name: call.options['name'] as string,
    url: call.options['url'] as string,
    subscribed_events: eventTypesOf(call.options['events'] as string),
  };
  return sendOf(
    call,
    (context) => new CreateWebhook(context, endpoint, ALL_SCOPES),
    (created) => secretOutcome('Created', created),
  );
}

/** `workforce webhooks update`. */
export function changeEndpoint(call: Call): Promise<Outcome> {
  const { name, url, events, enable, disable } = call.options;
  const changes = namedFields({
    name,
    url,
    subscribed_events: events === undefined ? undefined : eventTypesOf(events as string),
  }) as Partial<Endpoint>;
  const status = enable === true ? 'active' : disable === true ? 'disabled' : null;
  if (Object.keys(changes).length === 0 && status === null)
    throw new UsageError('Nothing to change: name at least one field; --help lists them.');
  const requested: WebhookChanges = status === null ? { changes } : { changes, status };
  return sendOf(
    call,
    (context) => new ChangeWebhook(context, call.arguments[0]!, ALL_SCOPES, requested),
    (changed) => ({ json: endpointJson(changed), text: `Changed ${described(changed)}.` }),
  );
}

/** `workforce webhooks rotate-secret`. */
export function rotateSecret(call: Call): Promise<Outcome> {
  return sendOf(
    call,
    (context) => new RotateWebhookSecret(context, call.arguments[0]!, ALL_SCOPES),
    (rotated) => secretOutcome('The previous secret also signs for 24 hours. Rotated', rotated),
  );
}

/** `workforce webhooks delete`. */
export function deleteEndpoint({ arguments: [webhookId], options }: Call): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, options['organisation'] as string);
    const known = await requireEndpoint(installation.pool, organisation.id, webhookId!);
    await sendAsOperator(installation, organisation, (context) => new DeleteWebhook(context, known.id));
    return { json: endpointJson(known), text: `Deleted ${known.name} (${known.id}).` };
  });
}

/** `workforce webhooks test`. */
export function testEndpoint(call: Call): Promise<Outcome> {
  return sendOf(
    call,
    (context) => new TestWebhook(context, call.arguments[0]!, ALL_SCOPES),
    ({ deliveryId, headers, payload }) => ({
      json: { delivery_id: deliveryId, headers, payload } as unknown as JsonObject,
      text: `Queued ${payload.type} as ${deliveryId}: workforce webhooks delivery shows its state.`,
    }),
  );
}

/** `workforce webhooks notices`. */
export function listNotices({ options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const { id: organisationId } = await requireOrganisation(pool, options['organisation'] as string);
    const notices = await findNotices(pool, organisationId);
    const rows = notices.map((notice) => [notice.createdAt, notice.sentAt === null ? 'waits' : 'sent', notice.text]);
    const json = notices.map(({ id, kind, subjectId, text, createdAt, sentAt }) => ({
      id,
      kind,
      subject_id: subjectId,
      text,
      created_at: createdAt,
      sent_at: sentAt,
    }));
    return { json: { notices: json }, text: textTable(['CREATED', 'STATE', 'NOTICE'], rows) };
  });
}

/** The endpoint with an id. Throws {@link CommandError} where the organisation has none with it. */
export async function requireEndpoint(pool: Pool, organisationId: string, webhookId: string): Promise<WebhookRow> {
  const endpoint = await findWebhook(pool, organisationId, webhookId);
  if (endpoint === null)
    throw new NotFoundError(`There is no webhook ${webhookId}: workforce webhooks list shows all.`);
  return endpoint;
}

/** All endpoints of an organisation, in the order of their creation. */
export async function allEndpoints(pool: Pool, organisationId: string): Promise<readonly WebhookRow[]> {
  const endpoints: WebhookRow[] = [];
  for (;;) {
    const last = endpoints.at(-1);
    const after = last === undefined ? null : { createdAt: last.created_at.toISOString(), id: last.id };
    const rows = await listWebhooks(pool, { organisationId, after, count: ROWS_AT_ONCE });
    endpoints.push(...rows);
    if (rows.length < ROWS_AT_ONCE) return endpoints;
  }
}

function sendOf<Result>(
  { options }: Call,
  commandOf: CommandOf<Result>,
  present: (result: Result) => Outcome,
): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, options['organisation'] as string);
    return present(await sendAsOperator(installation, organisation, commandOf));
  });
}

/** A random context never repeats a request, so the response always has the secret. */
function secretOutcome(done: string, { webhook, signingSecret }: WebhookWithSecret): Outcome {
  const text = `${signingSecret}\n\nThe secret is shown only once. ${done} ${described(webhook)}.`;
  return { json: { ...endpointJson(webhook), signing_secret: signingSecret }, text };
}

function described(endpoint: WebhookRow): string {
  return `${endpoint.name} (${endpoint.id}): ${endpoint.url}, ${statusText(endpoint)}, events: ${eventTypesText(endpoint.subscribed_events)}`;
}

function statusText({ status, disabled_reason: reason, disabled_at: at }: WebhookRow): string {
  return at === null ? status : `${status} since ${at.toISOString()} (${reason})`;
}

function endpointJson({ disabled_at, created_at, updated_at, ...rest }: WebhookRow): JsonObject {
  return {
    ...rest,
    disabled_at: disabled_at?.toISOString() ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

function healthJson(webhookId: string, found: DeliveryHealth): JsonObject {
  const { webhook_id: _, ...health } = presentHealth(webhookId, found) as unknown as JsonObject;
  return health;
}
