import type { Behaviour } from './receivers.js';

/**
 * Each attempt in flight holds a slot of one pool. `first` and `later`: first and later attempts to receivers that answer in time.
 * `unproven` and `slow`: attempts to receivers of that behaviour. `lingering`: attempts of the other pools but `slow` that have been running
 * for long.
 */
export type PoolName = (typeof POOL_NAMES)[number];
export const POOL_NAMES = ['first', 'later', 'unproven', 'slow', 'lingering'] as const;

/** Bounds the attempts of one pool in flight in this process. */
export interface PoolSize {
  readonly slots: number;
  /** How many of these are reserved for organisations that hold fewer than `share`: others cannot take the last ones. */
  readonly reserved: number;
  readonly share: number;
  /** Slots that one organisation may hold. */
  readonly organisation: number;
}

/** Bounds the attempts of one organisation in flight in this process, over all pools but `slow`. */
export interface OrganisationSize {
  readonly slots: number;
  /** How many of these are reserved for lanes that hold fewer than `share`. */
  readonly reserved: number;
  readonly share: number;
}

/** Bounds the attempts of one endpoint in flight in this process. */
export interface LaneSize {
  readonly first: number;
  readonly later: number;
}

/** How many attempts a process makes at the same time, and for whom. */
export interface Concurrency {
  readonly lanes: Readonly<Record<Behaviour, LaneSize>>;
  readonly organisation: OrganisationSize;
  readonly pools: Readonly<Record<PoolName, PoolSize>>;
  /** An attempt that runs longer than this moves from its pool to `lingering`. */
  readonly lingerMilliseconds: number;
  /** A receiver that takes longer than this to answer is slow until it answers sooner. */
  readonly slowMilliseconds: number;
}

/**
 * What a process uses. Ten active endpoints (contract part 8) have twenty lanes; the slots that an organisation keeps are the share of all
 * of them, so no lane can take another's. `lingering` has room for seven organisations whose receivers all stop answering at once under
 * full load, or for seventy whose receivers have never answered. Beyond that, attempts that hang stay in their pools, and other
 * deliveries may wait for as long as an attempt takes.
 */
export const USUAL_CONCURRENCY: Concurrency = {
  lanes: { unproven: { first: 2, later: 1 }, prompt: { first: 20, later: 10 }, slow: { first: 2, later: 1 } },
  organisation: { slots: 260, reserved: 60, share: 3 },
  pools: {
    first: { slots: 800, reserved: 300, share: 12, organisation: 200 },
    later: { slots: 300, reserved: 100, share: 10, organisation: 100 },
    unproven: { slots: 300, reserved: 100, share: 3, organisation: 30 },
    slow: { slots: 200, reserved: 60, share: 3, organisation: 30 },
    lingering: { slots: 2_000, reserved: 0, share: 0, organisation: 260 },
  },
  lingerMilliseconds: 1_000,
  slowMilliseconds: 3_000,
};
