/**
 * The time limits of connections, in milliseconds, for every listener of the program. A request must arrive
 * in time, and an idle connection is closed, including that of a caller that does not read its response.
 */
export const CONNECTION_LIMITS = {
  /**
   * Without a byte in either direction. Longer than any response takes, and than the interval between two
   * comments of an event stream.
   */
  connectionTimeout: 120_000,
  /** From the first byte of a request to its last. */
  requestTimeout: 30_000,
  http: {
    headersTimeout: 15_000,
    /** The interval at which both are checked. */
    connectionsCheckingInterval: 5_000,
  },
} as const;
