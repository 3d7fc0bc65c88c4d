import { createHmac, timingSafeEqual } from 'node:crypto';

/** A delivery as a receiver got it. */
export interface ReceivedDelivery {
  /** By their names in lower case, as Node.js has them; one that came several times is a list. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The bytes as they came: JSON that was parsed and serialised again has other bytes. */
  readonly body: Buffer;
}

/**
 * How far the time of a delivery may be from the receiver's clock, in either direction: older ones may be
 * replayed.
 */
export const TOLERANCE_SECONDS = 300;

const TIMESTAMP = /^\d{1,12}$/;
const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Why a delivery is not to be believed, as a receiver of contract part 6 finds out; null where it was signed
 * with this secret (`whsec_…`, the whole text of it is the key) near this moment. Entries of schemes other
 * than `v1` are passed over, and one signature that fits is enough: in the 24 hours after a rotation there
 * are two.
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
  // The signature first: the time is worth nothing before it is known who wrote it.
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
  if (!digests.some((digest) => timingSafeEqual(Buffer.from(digest, 'hex'), expected)))
    return 'no signature fits this secret and body';
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
