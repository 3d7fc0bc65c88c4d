import { parseIdempotencyKey } from './idempotency-key.js';

describe('an Idempotency-Key', () => {
  it('is taken with or without one pair of quotes', () => {
    expect([parseIdempotencyKey('"k"'), parseIdempotencyKey('k'), parseIdempotencyKey('""k""')]).toEqual(['k', 'k', '"k"']);
  });

  it.each(['', '""', 'a b', 'é', 'x'.repeat(256), 'a\u007f'])('is refused as %j', (header) => {
    expect(() => parseIdempotencyKey(header)).toThrow(expect.objectContaining({ code: 'invalid_request' }) as Error);
  });

  it('is asked for where it is missing', () => {
    expect(() => parseIdempotencyKey(undefined)).toThrow(expect.objectContaining({ code: 'idempotency_required' }) as Error);
  });
});
