import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { WebhookEventType } from '#kernel/webhook-events.js';

/** The delivery of one attempt, and its secrets. */
export interface Signable {
  readonly eventId: string;
  readonly deliveryId: string;
  readonly eventType: WebhookEventType;
  /** Unix time of the attempt in seconds. */
  readonly timestamp: number;
  /** As sent, byte for byte. */
  readonly body: string;
  /** `whsec_…`, the newest first; in the 24 hours after a rotation the previous one is the second. */
  readonly secrets: readonly [string, ...string[]];
}

/**
 * The headers of a delivery: those of contract part 6, and those of Standard Webhooks (the public
 * specification of that name, version 1). Both sign with every secret that is valid.
 */
export function signedHeaders({
  eventId,
  deliveryId,
  eventType,
  timestamp,
  body,
  secrets,
}: Signable): Readonly<Record<string, string>> {
  return {
    'Service-Webhook-Id': eventId,
    'Service-Webhook-Delivery-Id': deliveryId,
    'Service-Webhook-Event': eventType,
    'Service-Webhook-Timestamp': String(timestamp),
    'Service-Webhook-Signature': secrets.map((secret) => `v1=${digestOf(secret, `${timestamp}.${body}`)}`).join(','),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets
      .map((secret) => new Webhook(secret).sign(eventId, new Date(timestamp * 1_000), body))
      .join(' '),
  };
}

/**
 * Unlike in Standard Webhooks, the key is the whole text of the secret including its prefix, and the id is
 * not part of the content.
 */
function digestOf(secret: string, content: string): string {
  return createHmac('sha256', secret).update(content).digest('hex');
}
