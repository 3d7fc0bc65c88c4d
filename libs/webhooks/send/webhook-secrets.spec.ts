import { WebhookSecrets } from './webhook-secrets.js';
import type { Ring } from '#database/key-rings/key-ring.js';

const KEY = Buffer.alloc(32, 1);

/** A ring of one version, which counts its look-ups. */
function ringOf(key: { value: Buffer | null }): { readonly ring: Ring; readonly looks: () => number } {
  let looks = 0;
  const ring = {
    current: async () => ({ version: 1, secret: KEY }),
    find: async () => ((looks += 1), key.value),
  } as unknown as Ring;
  return { ring, looks: () => looks };
}

describe('the secret of an endpoint', () => {
  it('is decrypted once for many deliveries, and again after a while', async () => {
    const key: { value: Buffer | null } = { value: KEY };
    const { ring, looks } = ringOf(key);
    const secrets = new WebhookSecrets(ring, 500);
    const secret = secrets.create();
    const sealed = await secrets.seal(secret, 'a');
    for (let delivery = 0; delivery < 3; delivery += 1) expect(await secrets.open(sealed, 'a')).toBe(secret);
    expect(looks()).toBe(1);
    key.value = null;
    await new Promise((resolve) => setTimeout(resolve, 600));
    await expect(secrets.open(sealed, 'a')).rejects.toThrow('has no version 1');
  });

  it('does not open for another endpoint, however often it was opened for its own', async () => {
    const { ring } = ringOf({ value: KEY });
    const secrets = new WebhookSecrets(ring);
    const sealed = await secrets.seal(secrets.create(), 'a');
    await secrets.open(sealed, 'a');
    await expect(secrets.open(sealed, 'b')).rejects.toThrow('it was changed, or belongs to another endpoint');
  });
});
