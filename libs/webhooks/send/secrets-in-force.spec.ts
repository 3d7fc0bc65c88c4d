import { randomBytes } from 'node:crypto';
import { fixedRing } from '../../../test/support/fixed-ring.js';
import { ROTATION_OVERLAP_MILLISECONDS, type SealedSecrets, secretsInForce } from './secrets-in-force.js';
import { WebhookSecrets } from './webhook-secrets.js';

const ENDPOINT = 'wh_one';
const ROTATED = new Date('2026-01-01T12:00:00.000Z');
const secrets = new WebhookSecrets(fixedRing(randomBytes(32)));
const [newest, previous] = [secrets.create(), secrets.create()];
let sealed: SealedSecrets;
const at = (milliseconds: number): Date => new Date(ROTATED.getTime() + milliseconds);

beforeAll(async () => {
  sealed = {
    secret: await secrets.seal(newest, ENDPOINT),
    previous_secret: await secrets.seal(previous, ENDPOINT),
    rotated_at: ROTATED,
  };
});

describe('the secrets in force', () => {
  it('are the newest and the one before it, to the last millisecond of 24 hours after the rotation', async () => {
    expect(ROTATION_OVERLAP_MILLISECONDS).toBe(86_400_000);
    for (const milliseconds of [0, 86_399_999])
      expect(await secretsInForce(secrets, ENDPOINT, sealed, at(milliseconds))).toEqual([newest, previous]);
    expect(await secretsInForce(secrets, ENDPOINT, sealed, at(86_400_000))).toEqual([newest]);
  });

  it('are both where the clock that asks is behind that of the store', async () => {
    expect(await secretsInForce(secrets, ENDPOINT, sealed, at(-5_000))).toEqual([newest, previous]);
  });

  it('are one before the first rotation', async () => {
    expect(
      await secretsInForce(secrets, ENDPOINT, { ...sealed, previous_secret: null, rotated_at: null }, at(0)),
    ).toEqual([newest]);
  });
});
