import { during, startSpan } from '#tracing/tracing.js';
import { envelopeOf } from './envelope.js';
import type { AttemptResult, Claimed } from './delivery-store.js';
import { pauseAfter } from './backoff.js';
import { secretsInForce } from '../send/secrets-in-force.js';
import type { Sender } from '../send/sender.js';
import { signedHeaders } from '../send/signature.js';
import type { WebhookSecrets } from '../send/webhook-secrets.js';

/** The dependencies of an attempt. */
export interface AttemptParts {
  readonly sender: Pick<Sender, 'send'>;
  readonly secrets: WebhookSecrets;
  /** From 0 to 1: the jitter of pauses. */
  readonly random: () => number;
}

/**
 * Signs a delivery and sends it once, in a span if its event was traced. Never rejects because of the
 * receiver's behaviour.
 */
export function attempt(parts: AttemptParts, claimed: Claimed): Promise<AttemptResult> {
  const { traceparent = null, event, step } = claimed;
  const attributes = { 'workforce.event_type': event.type, 'workforce.attempt': step + 1 };
  const span =
    traceparent === null ? null : startSpan('delivery attempt', { kind: 'client', parent: traceparent, attributes });
  return during(span, async () => {
    const result = await send(parts, claimed);
    const { httpStatus, failureClass, outcome } = result;
    span?.set({
      'workforce.outcome': failureClass ?? outcome,
      ...(httpStatus === null ? {} : { 'http.response.status_code': httpStatus }),
    });
    if (outcome === 'failed') span?.fail();
    return result;
  });
}

async function send({ sender, secrets, random }: AttemptParts, claimed: Claimed): Promise<AttemptResult> {
  const { event, deliveryId, webhookId } = claimed;
  const body = JSON.stringify(envelopeOf(event));
  const headers = signedHeaders({
    eventId: event.id,
    deliveryId,
    eventType: event.type,
    timestamp: Math.floor(claimed.now.getTime() / 1_000),
    body,
    secrets: await secretsInForce(secrets, webhookId, claimed.secrets, claimed.now),
  });
  const sent = await sender.send({ url: claimed.url, headers, body });
  const { outcome, httpStatus, durationMs } = sent;
  const exchange = await secrets.conceal(JSON.stringify(sent.exchange), deliveryId);
  const made = { claimed, outcome, httpStatus, durationMs, exchange };
  if (sent.outcome === 'delivered') return { ...made, failureClass: null, failureMessage: null, pauseMs: null };
  const { failureClass, failureMessage, retryAfterMs } = sent;
  const pauseMs = failureClass === 'http_non_retryable' ? null : pauseAfter(claimed.step + 1, random(), retryAfterMs);
  return { ...made, failureClass, failureMessage, pauseMs };
}
