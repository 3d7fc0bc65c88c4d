import { ReceiptSeal } from './receipt-seal.js';

const SEAL = new ReceiptSeal('svc_live_one');

describe('the seal of a receipt', () => {
  it('opens for the same API key, however the header is spelled, and for no other', () => {
    const sealed = SEAL.seal('{"data":"Größe"}');
    expect(new ReceiptSeal('svc_live_one').open(sealed)).toBe('{"data":"Größe"}');
    expect(() => new ReceiptSeal('svc_live_other').open(sealed)).toThrow();
  });

  it('seals the same body otherwise every time, and leaves no run of it', () => {
    const [one, other] = [SEAL.seal('marker'.repeat(20)), SEAL.seal('marker'.repeat(20))];
    expect(one).not.toBe(other);
    expect(Buffer.from(one, 'base64').toString('latin1')).not.toContain('marker');
  });

  it('makes of a fingerprint the same one for a repeat, and another one for another API key', () => {
    expect(SEAL.fingerprint('f')).toBe(new ReceiptSeal('svc_live_one').fingerprint('f'));
    expect(SEAL.fingerprint('f')).not.toBe(SEAL.fingerprint('e'));
    expect(SEAL.fingerprint('f')).not.toBe(new ReceiptSeal('svc_live_other').fingerprint('f'));
  });
});
