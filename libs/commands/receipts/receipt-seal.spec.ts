import { ReceiptSeal } from './receipt-seal.js';

const SEAL = new ReceiptSeal('svc_live_one');

describe('the seal of a receipt', () => {
  it('opens with the same API key, however the header is written, and with no other', () => {
    const sealed = SEAL.seal('{"data":"Größe"}');
    expect(new ReceiptSeal('svc_live_one').open(sealed)).toBe('{"data":"Größe"}');
    expect(() => new ReceiptSeal('svc_live_other').open(sealed)).toThrow();
  });

  it('encrypts the same body differently each time, and contains no part of it', () => {
    const [one, other] = [SEAL.seal('marker'.repeat(20)), SEAL.seal('marker'.repeat(20))];
    expect(one).not.toBe(other);
    expect(Buffer.from(one, 'base64').toString('latin1')).not.toContain('marker');
  });

  it('converts a fingerprint to the same value for a repeat, and to a different one for another API key', () => {
    expect(SEAL.fingerprint('f')).toBe(new ReceiptSeal('svc_live_one').fingerprint('f'));
    expect(SEAL.fingerprint('f')).not.toBe(SEAL.fingerprint('e'));
    expect(SEAL.fingerprint('f')).not.toBe(new ReceiptSeal('svc_live_other').fingerprint('f'));
  });
});
