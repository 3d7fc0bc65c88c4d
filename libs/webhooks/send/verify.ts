import { createHmac, timingSafeEqual } from 'node:crypto';

/** A delivery as received. */
export interface ReceivedDelivery {
  /** By names in lower case, as in Node.js; a repeated header is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The received bytes: JSON that was parsed and serialised again has other bytes. */
  readonly body: Buffer;
}

/**
 * The maximum difference between the time of a delivery and the receiver's clock, in either direction: older
 * deliveries may be replays.
 */
export const TOLERANCE_SECONDS = 300;

const TIMESTAMP = /^\d{1,12}$/;
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * The reason to reject a delivery, as a receiver of contract part 6 verifies it; null if it was signed with
 * this secret (`whsec_…`, the whole text of it is the key) close to the given time. Entries of schemes other
 * than `v1` are ignored, and one matching signature suffices: in the 24 hours after a rotation there are two.
 */
export function verificationProblem({ headers, body }: ReceivedDelivery, secret: string, now: Date): string | null {
  const timestamp = headers['service-webhook-timestamp'];
  if (timestamp === undefined) return 'there is no Service-Webhook-Timestamp';
  if (typeof timestamp !== 'string' || !TIMESTAMP.test(timestamp))
    return 'Service-Webhook-Timestamp is not one number of seconds';
  const signature = headers['service-webhook-signature'];
  if (signature === undefined) return 'there is no Service-Webhook-Signature';
  const digests = typeof signature === 'string' ? digestsOf(signature) : [];
  if (digests.length === 0) return 'Service-Webhook-Signature has no v1= entry';
  // The signature first: only a signed time can be trusted.
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
  if (!digests.some((digest) => timingSafeEqual(Buffer.from(digest, 'hex'), expected)))
    return 'no signature matches this secret and body';
  const age = Math.floor(now.getTime() / 1_000) - Number(timestamp);
  if (Math.abs(age) <= TOLERANCE_SECONDS) return null;
  return `its time is ${Math.abs(age)} seconds ${age > 0 ? 'ago' : 'ahead'}, more than ${TOLERANCE_SECONDS}`;
}

/** The text after each `v1=` that has the form of a digest. */
function digestsOf(signature: string): readonly string[] {
  const entries = signature.split(',').map((entry) => entry.trim());
  return entries
    .filter((entry) => entry.startsWith('v1='))
    .map((entry) => entry.slice('v1='.length))
    .filter((digest) => DIGEST.test(digest));
}
