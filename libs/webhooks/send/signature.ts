import { createHmac } from 'node:crypto';
import type { WebhookEventType } from '#kernel/webhook-events.js';

/** One attempt's delivery, and what it is signed with. */
export interface Signable {
  readonly eventId: string;
  readonly deliveryId: string;
  readonly eventType: WebhookEventType;
  /** Unix time of the attempt in seconds. */
  readonly timestamp: number;
  /** As it is sent, byte for byte. */
  readonly body: string;
  /** `whsec_…`, the newest first; the one before it is the second in the 24 hours after a rotation. */
  readonly secrets: readonly [string, ...string[]];
}

const PREFIX = 'whsec_';

/**
 * The headers of a delivery: those of contract part 6, and those of Standard Webhooks (the public specification of that name,
 * version 1) beside them. Both sign with every secret that is valid.
 */
export function signedHeaders({ eventId, deliveryId, eventType, timestamp, body, secrets }: Signable): Readonly<Record<string, string>> {
  return {
    'Service-Webhook-Id': eventId,
    'Service-Webhook-Delivery-Id': deliveryId,
    'Service-Webhook-Event': eventType,
    'Service-Webhook-Timestamp': String(timestamp),
    'Service-Webhook-Signature': secrets.map((secret) => `v1=${digestOf(secret, `${timestamp}.${body}`)}`).join(','),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((secret) => `v1,${standardDigestOf(secret, `${eventId}.${timestamp}.${body}`)}`).join(' '),
  };
}

/** The key is the whole text of the secret, prefix and all. */
function digestOf(secret: string, content: string): string {
  return createHmac('sha256', secret).update(content).digest('hex');
}

/** The key is the text after the prefix, decoded from base64. */
function standardDigestOf(secret: string, content: string): string {
  return createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64'))
    .update(content)
    .digest('base64');
}
