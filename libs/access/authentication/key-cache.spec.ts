import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { KeyCache } from './key-cache.js';
import type { FoundKey, KeyDirectory } from './key-directory.js';

const KEY = { keyId: 'key_1' } as AuthenticatedKey;
const HASH = 'ab'.repeat(32);

/** A directory that counts what it is asked, and whose key can be revoked. */
class CountingDirectory implements KeyDirectory {
  looksUp = 0;
  checks = 0;
  isAway = false;
  private version = 1;
  private key: AuthenticatedKey | null = KEY;

  revoke(): void {
    this.key = null;
    this.version += 1;
  }

  async findByHash(): Promise<FoundKey> {
    this.looksUp += 1;
    return { key: this.key, version: String(this.version) };
  }

  findSession(): Promise<FoundKey> {
    return this.findByHash();
  }

  extendSession(): Promise<number | null> {
    return Promise.resolve(null);
  }

  async currentVersion(): Promise<string> {
    this.checks += 1;
    if (this.isAway) throw new Error('away');
    return String(this.version);
  }
}

/** What a request does. */
async function admit(cache: KeyCache): Promise<AuthenticatedKey | null> {
  const known = cache.peek(HASH);
  return known === undefined ? cache.find(HASH) : known;
}

describe('the keys that a process remembers', () => {
  let directory: CountingDirectory;
  let cache: KeyCache;

  beforeEach(async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    directory = new CountingDirectory();
    cache = new KeyCache(directory);
    expect(await admit(cache)).toBe(KEY);
  });
  afterEach(() => jest.useRealTimers());

  /** The answer to a check in the background has arrived. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('ask nothing while there are no requests', async () => {
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect([directory.looksUp, directory.checks, jest.getTimerCount()]).toEqual([1, 0, 0]);
  });

  it('are given without asking for 0.4 s; from then on a request has the version checked for those after it', async () => {
    jest.advanceTimersByTime(400);
    expect([cache.peek(HASH), directory.checks]).toEqual([KEY, 0]);
    jest.advanceTimersByTime(1);
    expect([cache.peek(HASH), cache.peek(HASH), directory.checks]).toEqual([KEY, KEY, 1]);
    await settled();
    jest.advanceTimersByTime(400);
    expect([cache.peek(HASH), directory.checks]).toEqual([KEY, 1]);
  });

  it('are refused once a check has seen the revocation', async () => {
    directory.revoke();
    jest.advanceTimersByTime(401);
    expect(cache.peek(HASH)).toBe(KEY);
    await settled();
    expect(cache.peek(HASH)).toBeUndefined();
    expect(await admit(cache)).toBeNull();
  });

  it('are never given 0.9 s after the last check, whatever no notification said', async () => {
    directory.revoke();
    jest.advanceTimersByTime(901);
    expect(cache.peek(HASH)).toBeUndefined();
    expect(await admit(cache)).toBeNull();
  });

  it('need one check after a rest, not a look-up', async () => {
    jest.advanceTimersByTime(60_000);
    expect(await admit(cache)).toBe(KEY);
    expect([directory.looksUp, directory.checks]).toEqual([1, 1]);
  });

  it('outlive a check that fails, but not their time', async () => {
    directory.isAway = true;
    jest.advanceTimersByTime(500);
    expect(cache.peek(HASH)).toBe(KEY);
    await settled();
    expect(cache.peek(HASH)).toBe(KEY);
    jest.advanceTimersByTime(401);
    await expect(admit(cache)).rejects.toThrow('away');
  });
});
