import type { WebhookEventType } from './generated/resources.js';

/** The content of a webhook: the resource that changed, without its data. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: WebhookEventType;
  readonly api_version: string;
  readonly occurred_at: string;
  readonly data: { readonly id: string; readonly resource_type: string };
}

/** The input of verifying a delivery. */
export interface WebhookVerification {
  /** The received bytes, before parsing. */
  readonly body: Uint8Array | string;
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /**
   * The secret of the endpoint, including `whsec_`; for 24 hours after a rotation, the new one and the
   * former one.
   */
  readonly secrets: string | readonly string[];
  /** The maximum difference between the timestamp and this clock in seconds; 300 by default. */
  readonly toleranceSeconds?: number;
  /** Unix time in milliseconds; now by default. */
  readonly now?: number;
}

/** The delivery is not genuine, or too old. The message has the reason. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const PREFIX = 'v1=';

/**
 * Returns the event of a genuine delivery, whose signature is the HMAC-SHA256 of timestamp, dot and body. An
 * event may be delivered more than once: process it once, by its id. Throws {@link
 * WebhookVerificationError}.
 */
export async function verifyWebhook(delivery: WebhookVerification): Promise<WebhookEvent> {
  const { body, headers, secrets, toleranceSeconds = 300, now = Date.now() } = delivery;
  const id = headerOf(headers, 'service-webhook-id');
  const timestamp = headerOf(headers, 'service-webhook-timestamp');
  const signatures = headerOf(headers, 'service-webhook-signature');
  if (!/^[0-9]{1,12}$/.test(timestamp) || Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds) {
    throw new WebhookVerificationError('the timestamp is too old or too new');
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const signed = concatenate(new TextEncoder().encode(`${timestamp}.`), bytes);
  const given = signatures.split(',').flatMap((signature) => bytesOf(signature.trim()));
  for (const secret of [secrets].flat()) {
    const key = await crypto.subtle.importKey(
      'raw',
      new TextEncoder().encode(secret),
      { name: 'HMAC', hash: 'SHA-256' },
      false,
      ['verify'],
    );
    for (const signature of given)
      if (await crypto.subtle.verify('HMAC', key, signature, signed)) return eventOf(bytes, id);
  }
  throw new WebhookVerificationError('no signature matches');
}

function headerOf(headers: WebhookVerification['headers'], name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  if (typeof value !== 'string') throw new WebhookVerificationError(`the header ${name} is missing`);
  return value;
}

/** The bytes of `v1=` and 64 hexadecimal digits; none for other texts. */
function bytesOf(signature: string): readonly Uint8Array<ArrayBuffer>[] {
  const digits = signature.startsWith(PREFIX) ? signature.slice(PREFIX.length) : '';
  if (!/^[0-9a-f]{64}$/.test(digits)) return [];
  return [Uint8Array.from(digits.match(/../g)!, (pair) => Number.parseInt(pair, 16))];
}

function concatenate(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length);
  joined.set(first);
  joined.set(second, first.length);
  return joined;
}

/**
 * The signature covers the body, which contains the event's id again: the header alone could belong to
 * another event.
 */
function eventOf(body: Uint8Array, id: string): WebhookEvent {
  const event = JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  if (event.id !== id)
    throw new WebhookVerificationError('the header service-webhook-id differs from the id in the body');
  return event;
}
