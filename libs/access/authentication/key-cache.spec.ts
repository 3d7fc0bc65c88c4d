import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { KeyCache } from './key-cache.js';
import type { FoundKey, KeyDirectory } from './key-directory.js';

const KEY = { keyId: 'key_1' } as AuthenticatedKey;
const HASH = 'ab'.repeat(32);

/** A directory that counts its queries, and whose key can be revoked. */
class CountingDirectory implements KeyDirectory {
  looksUp = 0;
  checks = 0;
  isUnavailable = false;
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
    if (this.isUnavailable) throw new Error('unavailable');
    return String(this.version);
  }
}

/** The authentication of a request. */
async function admit(cache: KeyCache): Promise<AuthenticatedKey | null> {
  const known = cache.peek(HASH);
  return known === undefined ? cache.find(HASH) : known;
}

describe('cached keys', () => {
  let directory: CountingDirectory;
  let cache: KeyCache;

  beforeEach(async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    directory = new CountingDirectory();
    cache = new KeyCache(directory);
    expect(await admit(cache)).toBe(KEY);
  });
  afterEach(() => jest.useRealTimers());

  /** Waits until a check in the background has ended. */
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it('cause no query without requests', async () => {
    await jest.advanceTimersByTimeAsync(3_600_000);
    expect([directory.looksUp, directory.checks, jest.getTimerCount()]).toEqual([1, 0, 0]);
  });

  it('are returned without a query for 0.4 s; a later request starts a check of the version for those after it', async () => {
    jest.advanceTimersByTime(400);
    expect([cache.peek(HASH), directory.checks]).toEqual([KEY, 0]);
    jest.advanceTimersByTime(1);
    expect([cache.peek(HASH), cache.peek(HASH), directory.checks]).toEqual([KEY, KEY, 1]);
    await settled();
    jest.advanceTimersByTime(400);
    expect([cache.peek(HASH), directory.checks]).toEqual([KEY, 1]);
  });

  it('are refused once a check has found the revocation', async () => {
    directory.revoke();
    jest.advanceTimersByTime(401);
    expect(cache.peek(HASH)).toBe(KEY);
    await settled();
    expect(cache.peek(HASH)).toBeUndefined();
    expect(await admit(cache)).toBeNull();
  });

  it('are never returned 0.9 s after the last check, even without a notification', async () => {
    directory.revoke();
    jest.advanceTimersByTime(901);
    expect(cache.peek(HASH)).toBeUndefined();
    expect(await admit(cache)).toBeNull();
  });

  it('need one check after an idle time, and no look-up', async () => {
    jest.advanceTimersByTime(60_000);
    expect(await admit(cache)).toBe(KEY);
    expect([directory.looksUp, directory.checks]).toEqual([1, 1]);
  });

  it('stay valid after a failed check, but only for their time', async () => {
    directory.isUnavailable = true;
    jest.advanceTimersByTime(500);
    expect(cache.peek(HASH)).toBe(KEY);
    await settled();
    expect(cache.peek(HASH)).toBe(KEY);
    jest.advanceTimersByTime(401);
    await expect(admit(cache)).rejects.toThrow('unavailable');
  });
});
