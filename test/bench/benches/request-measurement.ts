import type { BareSettings } from '../children/bare-server.js';
import type { Load } from '../children/load.js';
import type { Servers } from '../sides/servers.js';
import type { Walk } from '../sides/walks.js';

/** The measurements of requests, by the name that `--only` takes. */
export const REQUEST_BENCHES = ['read', 'list', 'timeline', 'patch', 'new-person', 'time-off', 'search'] as const;

/** One line of the table before it is measured; with a transaction, two. */
export interface RequestMeasurement {
  readonly bench: (typeof REQUEST_BENCHES)[number];
  readonly what: string;
  readonly goal: number;
  readonly product: Load['work'];
  readonly bare: Load['work'];
  /** The bare write as begin, an insert for each row, and commit, where that is measured as well. */
  readonly bareTransaction?: Load['work'];
  readonly connections: number;
  /** Requests of a side in a round, and before the first one. */
  readonly requests: number;
  readonly warmUp: number;
  /** What the figure leaves out. */
  readonly leavesOut: string;
}

/** What the measurements choose their targets from. */
export interface Surroundings {
  readonly servers: Servers;
  readonly people: Walk;
  readonly timeOff: Walk;
  /** What each kind of write leaves. */
  readonly writes: BareSettings['writes'];
}
