import { generateApiKey, hashApiKey, parseApiKey } from './api-key.js';

describe('an API key', () => {
  it('has its environment as prefix, 30 random characters and a checksum of 6', () => {
    const { apiKey, prefix, lastFour, secretHash } = generateApiKey('live');
    expect(apiKey).toMatch(/^svc_live_[0-9A-Za-z]{36}$/);
    expect([prefix, lastFour]).toEqual(['svc_live_', apiKey.slice(-4)]);
    expect(secretHash.equals(hashApiKey(apiKey))).toBe(true);
    expect(parseApiKey(apiKey)).toBe('live');
    expect(parseApiKey(generateApiKey('sandbox').apiKey)).toBe('sandbox');
  });

  it('has a checksum over prefix and secret, whose calculation never changes', () => {
    expect(parseApiKey('svc_live_0123456789ABCDEFGHIJabcdefghij3GtnnC')).toBe('live');
    expect(parseApiKey(`svc_test_${generateApiKey('live').apiKey.slice(9)}`)).toBe(null);
  });

  it('is refused with any one character changed', () => {
    const { apiKey } = generateApiKey('live');
    for (let index = 0; index < apiKey.length; index += 1) {
      const altered = apiKey.slice(0, index) + (apiKey[index] === 'a' ? 'b' : 'a') + apiKey.slice(index + 1);
      expect(parseApiKey(altered)).toBeNull();
    }
    for (const text of ['', apiKey.slice(1), `${apiKey}0`, ` ${apiKey}`, `${apiKey}\n`])
      expect(parseApiKey(text)).toBeNull();
  });

  it('is unique', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => generateApiKey('live').apiKey)).size).toBe(1_000);
  });
});
