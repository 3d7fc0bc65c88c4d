/** What is asked of a server, again and again. */
export interface Load {
  /** With the port, without a slash at its end. */
  readonly url: string;
  readonly apiKey: string;
  readonly work: Work;
  /** Keep-alive connections, each with one request at a time. */
  readonly connections: number;
}

/** Reads are asked for in random order; writes take their targets in turn. */
export type Work =
  | { readonly kind: 'reads'; readonly paths: readonly string[] }
  /**
   * Changes of people, each with the entity tag that the last answer gave. No two requests in progress name
   * the same person.
   */
  | { readonly kind: 'patches'; readonly paths: readonly string[] }
  | { readonly kind: 'people'; readonly path: string }
  /**
   * Single days off: the first day for each of these people in turn, then the next day, so that none overlaps
   * another one.
   */
  | {
      readonly kind: 'time-off';
      readonly path: string;
      readonly categoryId: string;
      readonly personIds: readonly string[];
      readonly days: readonly string[];
    };

/** What came of a run. */
export interface Throughput {
  readonly requests: number;
  readonly seconds: number;
}
