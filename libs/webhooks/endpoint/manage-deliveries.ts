import { Inject, Injectable, Logger } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import type { CommandServices, WritingServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { conflict, notFound, RejectedError, type Rejection } from '#kernel/rejection.js';
import type { WebhookEventType } from '#kernel/webhook-events.js';
import type { Executor } from '#projections/projection.js';
import {
  type DeliveryKey,
  queueDelivery,
  redeliver,
  type Redelivered,
  RESETTABLE,
  WAITING_LIMITS,
} from '../deliver/delivery-changes.js';
import { deliveryIdOf } from '../deliver/delivery-id.js';
import type { DeliveryQueue, DueDelivery } from '../deliver/delivery-queues.js';
import { envelopeOf, familyOf, type PublicEvent } from '../deliver/envelope.js';
import { resendSince, type ResendCommand, type Resent } from '../deliver/resend.js';
import { DELIVERY_QUEUE } from '../injection-tokens.js';
import { secretsInForce } from '../send/secrets-in-force.js';
import { signedHeaders } from '../send/signature.js';
import { decideOnWebhook, type TestServices } from './manage-webhooks.js';
import { type DeliveryRow, findDelivery } from './read-deliveries.js';
import { type GrantedScopes, subscriptionRejection } from './subscription-scopes.js';
import { decideWebhook, findSealedSecrets, findWebhook } from './webhook.js';

/** Adds the jobs of deliveries that a request has just made due. */
@Injectable()
export class DeliveryAdder {
  private readonly logger = new Logger('webhooks');

  constructor(@Inject(DELIVERY_QUEUE) private readonly queue: DeliveryQueue) {}

  /**
   * Returns immediately and never fails: the deliveries are durable, and a sweep finds those without a job.
   */
  add(due: readonly DueDelivery[]): void {
    this.queue.add(due).catch((error: unknown) => {
      this.logger.warn(
        'deliveries wait for the next sweep: the queue accepted no jobs for them ' +
          `(${error instanceof Error ? error.name : typeof error})`,
      );
    });
  }
}

/** A queued synthetic event: its current signature headers, and its body. */
export interface QueuedTest {
  readonly deliveryId: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: ReturnType<typeof envelopeOf>;
}

const TEST: WebhookEventType = 'webhook.test';

/**
 * Queues a synthetic event for an endpoint, whatever its subscriptions; a repeat with the same context queues
 * no second one. Throws {@link RejectedError}: no such endpoint, events of it beyond the key's scopes, a
 * disabled endpoint, too many waiting deliveries.
 */
export function testWebhook(
  services: TestServices,
  context: CommandContext,
  { webhookId, now, granted }: { readonly webhookId: string; readonly now: Date; readonly granted: GrantedScopes },
): Promise<QueuedTest> {
  const { executor, mint } = services;
  const { organisationId } = context;
  const eventId = mint.prefixed('event', organisationId, ...context.seed, webhookId);
  const deliveryId = deliveryIdOf(mint, organisationId, webhookId, eventId);
  const event: PublicEvent = {
    id: eventId,
    type: TEST,
    occurredAt: now.toISOString(),
    resourceId: webhookId,
    resourceType: familyOf(TEST),
  };
  return commit(services, context, async ({ unit }) => {
    await endpointFor(executor, organisationId, { webhookId, granted });
    const sealed = await findSealedSecrets(executor, organisationId, webhookId);
    if (sealed === null) throw new RejectedError(noSuchWebhook());
    unit.write(async (connection) => {
      const queued = await queueDelivery(connection, { organisationId, webhookId, deliveryId }, event);
      if (queued === 'not_active') throw new RejectedError(conflict('status', 'this webhook is disabled'));
      if (queued === 'full') throw new RejectedError(TOO_MANY_WAITING);
      if (queued === 'repeated') unit.noteFound();
    });
    return async (written) => {
      // A repeat returns the delivery that an earlier attempt has queued.
      const { occurred_at: occurredAt } = await existing(written.executor, organisationId, webhookId, deliveryId);
      const payload = envelopeOf({ ...event, occurredAt: occurredAt.toISOString() });
      const timestamp = Math.floor(now.getTime() / 1_000);
      const secrets = await secretsInForce(services.secrets, webhookId, sealed, now);
      const headers = signedHeaders({
        eventId,
        deliveryId,
        eventType: TEST,
        timestamp,
        body: JSON.stringify(payload),
        secrets,
      });
      return { deliveryId, headers, payload };
    };
  });
}

/**
 * Sends a delivery in one of the states again, with the same ids. Throws
 * {@link RejectedError}: no such endpoint or delivery, events of them beyond the key's scopes, a disabled
 * endpoint, a delivery in another state, too many waiting deliveries.
 */
export function redeliverDelivery(
  services: WritingServices,
  context: CommandContext,
  {
    webhookId,
    deliveryId,
    granted,
    resettable,
  }: EndpointQuery & { readonly deliveryId: string; readonly resettable: keyof typeof RESETTABLE },
): Promise<DeliveryRow> {
  const { executor } = services;
  const { organisationId } = context;
  return commit(services, context, async ({ unit }) => {
    const known = await findDelivery(executor, organisationId, webhookId, deliveryId);
    await endpointFor(executor, organisationId, { webhookId, granted }, known === null ? [] : [known.event_type]);
    unit.write((connection) => resetDelivery(connection, { organisationId, webhookId, deliveryId }, resettable));
    return (written) => existing(written.executor, organisationId, webhookId, deliveryId);
  });
}

/**
 * Sends a failed delivery again for an operator, whose action is recorded. Throws {@link RejectedError} as
 * {@link redeliverDelivery} does, except for scopes, which operators do not have.
 */
export function retryDelivery(services: WritingServices, context: CommandContext, key: DeliveryKey): Promise<void> {
  const { webhookId, deliveryId } = key;
  return commit(services, context, async (within) => {
    await decideOnWebhook(services, within, webhookId, 'retry', (state) =>
      decideWebhook({ type: 'retry', deliveryId }, state),
    );
    within.unit.claim((connection) => resetDelivery(connection, key, 'unfinished'));
    return () => undefined;
  });
}

/** Throws {@link RejectedError} if the delivery may not be sent again. */
async function resetDelivery(
  connection: PoolClient,
  key: DeliveryKey,
  resettable: keyof typeof RESETTABLE,
): Promise<void> {
  const result = await redeliver(connection, key, resettable);
  const rejection = result === 'not_allowed' && resettable === 'attempted' ? IS_DUE : REJECTIONS[result];
  if (rejection !== null) throw new RejectedError(rejection);
}

const TOO_MANY_WAITING = conflict(
  'deliveries',
  `at most ${WAITING_LIMITS.endpoint} deliveries of a webhook wait at once, and ${WAITING_LIMITS.organisation} of an ` +
    'organisation',
);

const IS_DUE = conflict('status', 'this delivery is about to be sent');

const REJECTIONS: Readonly<Record<Redelivered, Rejection | null>> = {
  reset: null,
  not_found: notFound('delivery_id', 'there is no such delivery of this webhook'),
  not_active: conflict('webhook', 'is disabled'),
  not_allowed: conflict('status', 'only a delivery that failed, or waits for its next attempt, can be sent again'),
  full: TOO_MANY_WAITING,
};

/**
 * Sends again everything that an endpoint has not accepted since a time: failed, waiting and missed
 * deliveries. Throws {@link RejectedError}: no such endpoint, events of it beyond the key's scopes, a
 * disabled endpoint.
 */
export function resendDeliveries(
  services: CommandServices,
  context: CommandContext,
  { since, ...requested }: EndpointQuery & Pick<ResendCommand, 'since'>,
): Promise<Resent> {
  const { organisationId } = context;
  return commit(services, context, async ({ unit }) => {
    await endpointFor(services.executor, organisationId, requested);
    let resent: Resent | null = null;
    unit.write(async (connection) => {
      resent = await resendSince(connection, services.mint, { organisationId, webhookId: requested.webhookId, since });
      if (resent === null) throw new RejectedError(conflict('webhook', 'is disabled'));
    });
    return () => resent!;
  });
}

/** An endpoint that a caller acts on, and the caller's scopes. */
interface EndpointQuery {
  readonly webhookId: string;
  readonly granted: GrantedScopes;
}

/**
 * Refuses an unknown endpoint, and a caller without the scopes of its events and of these. Throws {@link
 * RejectedError}.
 */
async function endpointFor(
  executor: Executor,
  organisationId: string,
  { webhookId, granted }: EndpointQuery,
  types: readonly string[] = [],
): Promise<void> {
  const webhook = await findWebhook(executor, organisationId, webhookId);
  if (webhook === null) throw new RejectedError(noSuchWebhook());
  const rejection = subscriptionRejection(granted, [...new Set([...webhook.subscribed_events, ...types])]);
  if (rejection !== null) throw new RejectedError(rejection);
}

/**
 * Reads a delivery that has just been found. Throws {@link RejectedError} if its endpoint, and with it the
 * waiting deliveries, was deleted in the meantime.
 */
async function existing(
  executor: Executor,
  organisationId: string,
  webhookId: string,
  deliveryId: string,
): Promise<DeliveryRow> {
  const row = await findDelivery(executor, organisationId, webhookId, deliveryId);
  if (row === null) throw new RejectedError(noSuchWebhook());
  return row;
}

function noSuchWebhook(): ReturnType<typeof notFound> {
  return notFound('webhook_id', 'there is no such webhook');
}
