import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { fixedRing } from '../../../test/support/fixed-ring.js';
import { readVector } from '../../../test/support/webhooks/vector.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { signedHeaders } from './signature.js';

const SIGNED = {
  eventId: 'evt_1',
  deliveryId: 'whd_1',
  eventType: 'person.updated',
  timestamp: 1_767_225_600,
  body: '{}',
  secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
} as const;

describe('the headers of a delivery', () => {
  it('are those of the test vector in the documentation', () => {
    const { secrets, body, headers } = readVector();
    const signed = signedHeaders({
      eventId: headers['Service-Webhook-Id']!,
      deliveryId: headers['Service-Webhook-Delivery-Id']!,
      eventType: 'person.updated',
      timestamp: Number(headers['Service-Webhook-Timestamp']),
      body,
      secrets,
    });
    expect(signed).toEqual(headers);
    expect(Object.keys(signed)).toEqual(Object.keys(headers));
  });
  it('are those of the test vector that libraries of Standard Webhooks use', () => {
    const signed = signedHeaders({
      ...SIGNED,
      eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      timestamp: 1_614_265_330,
      body: '{"test": 2432232314}',
    });
    expect(signed['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
  it('carry one signature with one secret', () => {
    const digest = createHmac('sha256', SIGNED.secrets[0]).update('1767225600.{}').digest('hex');
    expect(signedHeaders(SIGNED)['Service-Webhook-Signature']).toBe(`v1=${digest}`);
  });
  it('can be carried by HTTP, and change with the timestamp, the body and the secret, whatever these are', () => {
    const secret = fc.integer().map(() => new WebhookSecrets(fixedRing(Buffer.alloc(32))).create());
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(), secret, secret, (body, timestamp, newest, older) => {
        const sign = (other: object): string =>
          signedHeaders({ ...SIGNED, body, timestamp, secrets: [newest, older], ...other })[
            'Service-Webhook-Signature'
          ]!;
        expect(sign({})).toMatch(/^v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
        const others = [
          sign({ body: `${body}x` }),
          sign({ timestamp: timestamp + 1 }),
          sign({ secrets: [older, newest] }),
        ];
        expect(others).not.toContain(sign({}));
      }),
    );
  });
});
