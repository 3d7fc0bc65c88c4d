/**
 * How long a connection may keep a listener waiting, in milliseconds; for every listener of the program. A
 * request has to arrive in time, and a connection on which nothing moves is closed: that of a caller who
 * reads no answer as well.
 */
export const CONNECTION_LIMITS = {
  /**
   * Without a byte in either direction. Longer than any answer takes, and than the pause between two comments
   * of a stream of events.
   */
  connectionTimeout: 120_000,
  /** From the first byte of a request to its last. */
  requestTimeout: 30_000,
  http: {
    headersTimeout: 15_000,
    /** How often both are looked at. */
    connectionsCheckingInterval: 5_000,
  },
} as const;
