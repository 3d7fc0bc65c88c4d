import { signedHeaders } from './signature.js';
import { type ReceivedDelivery, TOLERANCE_SECONDS, verificationProblem } from './verify.js';

/** The digests come from `openssl dgst -sha256 -hmac SECRET`, independent of this code. */
const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const SECRET_BEFORE = 'whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA=';
const TIMESTAMP = 1_795_255_201;
const BODY =
  '{"id":"evt_1","type":"person.updated","api_version":"v1","occurred_at":"2026-11-21T10:00:00.000Z","data":{"id":"1d4h14kj7caw","resource_type":"person"}}';
const DIGEST = '5ec1a37950d5cb54805753dd6cf75f9c10c65bd83e841d183b1342bdb83532c0';
const DIGEST_BEFORE = '165c3ed56136cb3d888818ae7fc75356d3452b22ccba9619586cb9fcbce50872';
const SENT = new Date(TIMESTAMP * 1_000);

function delivery({
  signature = `v1=${DIGEST}`,
  timestamp = String(TIMESTAMP),
  body = BODY,
}: { signature?: string; timestamp?: string; body?: string } = {}): ReceivedDelivery {
  return {
    headers: { 'service-webhook-timestamp': timestamp, 'service-webhook-signature': signature },
    body: Buffer.from(body),
  };
}

const problem = (received: ReceivedDelivery, secret = SECRET, now = SENT): string | null =>
  verificationProblem(received, secret, now);
const MISFIT = 'no signature matches this secret and body';

describe('a delivery', () => {
  it('is believed where the secret signed this time and body', () => expect(problem(delivery())).toBeNull());

  it('is believed by either secret of a rotation, in whatever order, beside schemes that are not known', () => {
    const both = `v1=${DIGEST},v1=${DIGEST_BEFORE}`;
    expect([problem(delivery({ signature: both })), problem(delivery({ signature: both }), SECRET_BEFORE)]).toEqual([
      null,
      null,
    ]);
    expect(problem(delivery({ signature: `v0=00, v1=${DIGEST_BEFORE}, v1=${DIGEST}` }))).toBeNull();
    expect(problem(delivery(), SECRET_BEFORE)).toBe(MISFIT);
  });

  it('is not believed with another body, time or digest', () => {
    expect(problem(delivery({ body: BODY.replace('person.updated', 'person.created') }))).toBe(MISFIT);
    expect(problem(delivery({ body: JSON.stringify(JSON.parse(BODY), null, 1) }))).toBe(MISFIT);
    expect(problem(delivery({ timestamp: String(TIMESTAMP + 1) }))).toBe(MISFIT);
    expect(problem(delivery({ signature: `v1=${DIGEST.replace(/^5/, '6')}` }))).toBe(MISFIT);
  });

  it('is believed five minutes before and after its time, and no longer', () => {
    const at = (seconds: number): string | null =>
      problem(delivery(), SECRET, new Date(SENT.getTime() + seconds * 1_000));
    expect([at(TOLERANCE_SECONDS), at(-TOLERANCE_SECONDS)]).toEqual([null, null]);
    expect(at(TOLERANCE_SECONDS + 1)).toBe('its time is 301 seconds ago, more than 300');
    expect(at(-TOLERANCE_SECONDS - 1)).toBe('its time is 301 seconds ahead, more than 300');
  });

  it('says what is missing or is not valid', () => {
    const body = Buffer.from(BODY);
    expect(problem({ headers: {}, body })).toBe('there is no Service-Webhook-Timestamp');
    expect(problem({ headers: { 'service-webhook-timestamp': String(TIMESTAMP) }, body })).toBe(
      'there is no Service-Webhook-Signature',
    );
    for (const timestamp of ['', '1e9', '-1', '1, 2', '2026-11-21T10:00:01Z', '9'.repeat(13)]) {
      expect(problem(delivery({ timestamp }))).toBe('Service-Webhook-Timestamp is not one number of seconds');
    }
    for (const signature of [
      '',
      DIGEST,
      `v1,${DIGEST}`,
      `v2=${DIGEST}`,
      'v1=',
      `v1=${DIGEST}00`,
      `v1=${DIGEST.toUpperCase()}`,
      `v1=${DIGEST.slice(1)}g`,
    ]) {
      expect(problem(delivery({ signature }))).toBe('Service-Webhook-Signature has no v1= entry');
    }
  });

  it('is believed as the sender signs it, whatever its letters', () => {
    const body = '{"name":"Zoë 🙂"}';
    const headers = signedHeaders({
      eventId: 'evt_1',
      deliveryId: 'whd_1',
      eventType: 'webhook.test',
      timestamp: TIMESTAMP,
      body,
      secrets: [SECRET_BEFORE, SECRET],
    });
    const lowerCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
    expect(problem({ headers: lowerCase, body: Buffer.from(body) })).toBeNull();
  });
});
