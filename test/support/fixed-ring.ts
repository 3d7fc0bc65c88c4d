import type { Ring } from '#database/key-rings/key-ring.js';

/** A ring of one version that never changes, without a database. */
export function fixedRing(secret: Buffer): Ring {
  return { current: async () => ({ version: 1, secret }), find: async (version) => (version === 1 ? secret : null) };
}
