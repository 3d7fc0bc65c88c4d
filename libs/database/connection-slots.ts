import type { Pool } from 'pg';
import { ConcurrencyLimiter } from './concurrency-limiter.js';
import { DatabaseUnavailableError } from './errors.js';

/** The connections of a pool in which units of work run. */
export type Connections = Pick<Pool, 'query' | 'connect' | 'options'>;

/** The waiting limit of a pool without one: the maximum of a timer, in milliseconds. */
const UNLIMITED = 2 ** 31 - 1;

const slotsOfPools = new WeakMap<Connections, ConcurrencyLimiter>();

/**
 * Half of a pool's connections may be in units of work; the other half serves what their plans read, so that
 * they never wait for each other. A unit waits for its slot as long as a statement waits for a connection of
 * the pool (`connectionTimeoutMillis`), then throws `DatabaseUnavailableError`.
 */
export function slotsOf(connections: Connections): ConcurrencyLimiter {
  const known = slotsOfPools.get(connections);
  if (known !== undefined) return known;
  const { max = 10, connectionTimeoutMillis: limit = 0 } = connections.options;
  const slots = new ConcurrencyLimiter({
    atOnce: Math.max(1, Math.floor(max / 2)),
    maxWaiting: Infinity,
    milliseconds: limit > 0 ? limit : UNLIMITED,
    refusal: () => new DatabaseUnavailableError('no connection was free for a write'),
  });
  slotsOfPools.set(connections, slots);
  return slots;
}
