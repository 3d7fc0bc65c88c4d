import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import type { WebhookEventType } from '#kernel/webhook-events.js';
import type { IdMint } from '#identifiers/id-mint.js';
import { conflict, notFound, RejectedError } from '#kernel/rejection.js';
import { queueDelivery, redeliver, WAITING_LIMITS } from '#webhooks/deliver/delivery-changes.js';
import { deliveryIdOf } from '#webhooks/deliver/delivery-id.js';
import { envelopeOf, familyOf, type PublicEvent } from '#webhooks/deliver/envelope.js';
import { type Resent, type ResendWish, resendSince } from '#webhooks/deliver/resend.js';
import { secretsInForce } from '#webhooks/send/secrets-in-force.js';
import { signedHeaders } from '#webhooks/send/signature.js';
import type { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import { type DeliveryRow, findDelivery } from './delivery.queries.js';
import { type GrantedScopes, subscriptionRejection } from './subscription-scopes.js';
import { findSealedSecrets, findWebhook } from './webhook.queries.js';

/** The dependencies of sending a delivery again. */
export interface RedeliveryServices {
  readonly executor: Pool;
}

/** The dependencies of testing an endpoint. */
export interface TestServices extends RedeliveryServices {
  readonly mint: IdMint;
  readonly secrets: WebhookSecrets;
}

/** A queued synthetic event: its present signature headers, and the body that is sent. */
export interface QueuedTest {
  readonly deliveryId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: ReturnType<typeof envelopeOf>;
}

const TEST: WebhookEventType = 'webhook.test';

/**
 * Queues a synthetic event for an endpoint, whatever its subscriptions; a repeat with the same context queues no second one. Throws {@link
 * RejectedError}: no such endpoint, events of it beyond the key's scopes, a disabled endpoint, too many waiting deliveries.
 */
export async function testWebhook(
  services: TestServices,
  context: CommandContext,
  { webhookId, now, granted }: { readonly webhookId: string; readonly now: Date; readonly granted: GrantedScopes },
): Promise<QueuedTest> {
  const { executor, mint } = services;
  const { organisationId } = context;
  await endpointFor(executor, { organisationId, webhookId, granted });
  const sealed = await findSealedSecrets(executor, organisationId, webhookId);
  if (sealed === null) throw new RejectedError(noSuchWebhook());
  const eventId = mint.prefixed('event', organisationId, ...context.seed, webhookId);
  const deliveryId = deliveryIdOf(mint, organisationId, webhookId, eventId);
  const event: PublicEvent = {
    id: eventId,
    type: TEST,
    occurredAt: now.toISOString(),
    resourceId: webhookId,
    resourceType: familyOf(TEST),
  };
  const queued = await queueDelivery(executor, { organisationId, webhookId, deliveryId }, event);
  if (queued === 'not_active') throw new RejectedError(conflict('status', 'this webhook is disabled'));
  if (queued === 'full') throw new RejectedError(tooManyWaiting());
  if (queued === 'repeated') context.session?.noteFound();
  // A repeat returns the delivery that an earlier attempt has queued.
  const { occurred_at: occurredAt } = await existing(executor, organisationId, webhookId, deliveryId);
  const payload = envelopeOf({ ...event, occurredAt: occurredAt.toISOString() });
  const timestamp = Math.floor(now.getTime() / 1_000);
  const secrets = await secretsInForce(services.secrets, webhookId, sealed, now);
  const headers = signedHeaders({ eventId, deliveryId, eventType: TEST, timestamp, body: JSON.stringify(payload), secrets });
  return { deliveryId, headers, payload };
}

/**
 * Sends a delivery again that failed or waits for its next attempt, with the same ids. Throws {@link RejectedError}: no such endpoint or
 * delivery, events of them beyond the key's scopes, a disabled endpoint, a delivery in another state, too many waiting deliveries.
 */
export async function redeliverDelivery(
  { executor }: RedeliveryServices,
  { organisationId, webhookId, deliveryId, granted }: Wanted & { readonly deliveryId: string },
): Promise<DeliveryRow> {
  const known = await findDelivery(executor, organisationId, webhookId, deliveryId);
  await endpointFor(executor, { organisationId, webhookId, granted }, known === null ? [] : [known.event_type]);
  switch (await redeliver(executor, { organisationId, webhookId, deliveryId })) {
    case 'not_found':
      throw new RejectedError(notFound('delivery_id', 'there is no such delivery of this webhook'));
    case 'not_active':
      throw new RejectedError(conflict('webhook', 'is disabled'));
    case 'not_allowed':
      throw new RejectedError(conflict('status', 'only what failed, or waits for its next attempt, is sent again'));
    case 'full':
      throw new RejectedError(tooManyWaiting());
    case 'reset':
      return existing(executor, organisationId, webhookId, deliveryId);
  }
}

/**
 * Sends again everything that an endpoint has not accepted since a moment: failed, waiting and missed deliveries. Throws {@link
 * RejectedError}: no such endpoint, events of it beyond the key's scopes, a disabled endpoint.
 */
export async function resendDeliveries(
  { executor, mint }: Pick<TestServices, 'executor' | 'mint'>,
  wish: ResendWish,
  granted: GrantedScopes,
): Promise<Resent> {
  await endpointFor(executor, { ...wish, granted });
  const resent = await resendSince(executor, mint, wish);
  if (resent === null) throw new RejectedError(conflict('webhook', 'is disabled'));
  return resent;
}

/** An endpoint that a caller wants to do something with, and the caller's scopes. */
interface Wanted {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly granted: GrantedScopes;
}

/** Refuses an endpoint that is not there, and a caller who may not read what its events, and these, are about. Throws {@link RejectedError}. */
async function endpointFor(executor: Pool, { organisationId, webhookId, granted }: Wanted, types: readonly string[] = []): Promise<void> {
  const webhook = await findWebhook(executor, organisationId, webhookId);
  if (webhook === null) throw new RejectedError(noSuchWebhook());
  const rejection = subscriptionRejection(granted, [...new Set([...webhook.subscribed_events, ...types])]);
  if (rejection !== null) throw new RejectedError(rejection);
}

/**
 * Reads a delivery that has just existed. Throws {@link RejectedError} where its endpoint, and with it the waiting deliveries, was deleted
 * in the meantime.
 */
async function existing(executor: Pool, organisationId: string, webhookId: string, deliveryId: string): Promise<DeliveryRow> {
  const row = await findDelivery(executor, organisationId, webhookId, deliveryId);
  if (row === null) throw new RejectedError(noSuchWebhook());
  return row;
}

function noSuchWebhook(): ReturnType<typeof notFound> {
  return notFound('webhook_id', 'there is no such webhook');
}

function tooManyWaiting(): ReturnType<typeof conflict> {
  const { endpoint, organisation } = WAITING_LIMITS;
  return conflict('deliveries', `at most ${endpoint} deliveries of a webhook wait at once, and ${organisation} of an organisation`);
}
