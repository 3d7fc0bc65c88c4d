import type { Manner } from './receivers.js';

/**
 * What an attempt counts as while it runs: a first or a later one to a receiver that answers in time, one to a receiver that is
 * unproven or slow, or one that began among these and has been running for long.
 */
export type PoolName = (typeof POOL_NAMES)[number];
export const POOL_NAMES = ['first', 'later', 'unproven', 'slow', 'lingering'] as const;

/** Attempts at once of one kind, in this process. */
export interface PoolSize {
  readonly places: number;
  /** Of these, so many are kept for organisations that hold less than their share: the others cannot take the last ones. */
  readonly kept: number;
  readonly share: number;
  /** Places that one organisation may hold. */
  readonly organisation: number;
}

/** Attempts at once of one organisation in this process, over all pools but that of slow receivers. */
export interface OrganisationSize {
  readonly places: number;
  /** Of these, so many are kept for lanes that hold less than their share. */
  readonly kept: number;
  readonly share: number;
}

/** Attempts at once of one endpoint, in this process. */
export interface LaneSize {
  readonly first: number;
  readonly later: number;
}

/** How many attempts this process makes at once, and for whom. */
export interface Concurrency {
  readonly lanes: Readonly<Record<Manner, LaneSize>>;
  readonly organisation: OrganisationSize;
  readonly pools: Readonly<Record<PoolName, PoolSize>>;
  /** An attempt that runs for longer leaves its pool for the lingering ones. */
  readonly lingerMilliseconds: number;
  /** A receiver that takes longer to answer is a slow one until it answers sooner. */
  readonly slowMilliseconds: number;
}

/**
 * As a process has it. What is kept of an organisation's places is the share of twenty lanes, which ten active endpoints have (contract
 * part 8): none of them can be kept from attempts by the others. Lingering attempts have room for seven organisations all of
 * whose receivers answered and then hang at once, whatever they are sent, and for seventy whose receivers never answered; beyond
 * that they stay in their pools, and others may wait for as long as an attempt takes.
 */
export const USUAL_CONCURRENCY: Concurrency = {
  lanes: { unproven: { first: 2, later: 1 }, prompt: { first: 20, later: 10 }, slow: { first: 2, later: 1 } },
  organisation: { places: 260, kept: 60, share: 3 },
  pools: {
    first: { places: 800, kept: 300, share: 12, organisation: 200 },
    later: { places: 300, kept: 100, share: 10, organisation: 100 },
    unproven: { places: 300, kept: 100, share: 3, organisation: 30 },
    slow: { places: 200, kept: 60, share: 3, organisation: 30 },
    lingering: { places: 2_000, kept: 0, share: 0, organisation: 260 },
  },
  lingerMilliseconds: 1_000,
  slowMilliseconds: 3_000,
};
