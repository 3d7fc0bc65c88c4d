import { createCipheriv, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { openBytes, sealBytes } from './seal.js';

const KEY = randomBytes(32);
const BYTES = Buffer.from('{"first_name":"Zoë"}');
const NONCE_BYTES = 12;

describe('sealed bytes', () => {
  it('open only with their key and for their owner', () => {
    for (const owner of ['', 'org_a.person']) {
      const sealed = sealBytes(BYTES, KEY, owner);
      expect(openBytes(sealed, KEY, owner)).toEqual(BYTES);
      expect(() => openBytes(sealed, randomBytes(32), owner)).toThrow();
      expect(() => openBytes(sealed, KEY, `${owner}x`)).toThrow();
    }
    expect(openBytes(sealBytes(Buffer.alloc(0), KEY), KEY)).toHaveLength(0);
  });

  it('decrypt to the original bytes, and contain no part of them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const [plain, sealed] = [Buffer.from(bytes), sealBytes(Buffer.from(bytes), KEY)];
        expect(openBytes(sealed, KEY).equals(plain)).toBe(true);
        if (plain.length >= 8) expect(sealed.includes(plain.subarray(0, 8))).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });

  it('do not open if any byte was altered, they were cut off, or their version is unknown', () => {
    const sealed = sealBytes(BYTES, KEY);
    for (let length = 0; length < sealed.length; length += 1)
      expect(() => openBytes(sealed.subarray(0, length), KEY)).toThrow();
    expect(() => openBytes(Buffer.concat([Buffer.of(2), sealed.subarray(1)]), KEY)).toThrow('format 2');
    for (let place = 0; place < sealed.length; place += 1) {
      const altered = Buffer.from(sealed);
      altered[place]! ^= 1;
      expect(() => openBytes(altered, KEY)).toThrow();
    }
  });

  it('never share a nonce', () => {
    const nonces = Array.from({ length: 2_000 }, () =>
      sealBytes(BYTES, KEY)
        .subarray(1, 1 + NONCE_BYTES)
        .toString('hex'),
    );
    expect(new Set(nonces).size).toBe(nonces.length);
  });

  it('have the stored form: version, nonce, tag, ciphertext', () => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', KEY, nonce);
    cipher.setAAD(Buffer.from(''));
    const encrypted = Buffer.concat([cipher.update(BYTES), cipher.final()]);
    expect(openBytes(Buffer.concat([Buffer.of(1), nonce, cipher.getAuthTag(), encrypted]), KEY)).toEqual(BYTES);
  });
});
