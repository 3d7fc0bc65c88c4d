/** Names deliveries of one endpoint that are due, by id only: the table says what they are, and whether they still are due. */
export interface WakeSignal {
  readonly organisationId: string;
  readonly webhookId: string;
  /** From 1 to {@link IDS_IN_A_WAKE_SIGNAL}. */
  readonly deliveryIds: readonly string[];
  /** Whether these were attempted before, so that they do not take the slots of first attempts. */
  readonly isAgain?: boolean;
  /** Whether further deliveries of the lane are due. The worker that takes the wake signal reads them from the table. */
  readonly hasMore?: boolean;
}

/** The most deliveries that one wake signal names. */
export const IDS_IN_A_WAKE_SIGNAL = 50;

/** Wake signals of these deliveries of one endpoint, in their order. */
export function wakeSignalsOf(organisationId: string, webhookId: string, deliveryIds: readonly string[]): readonly WakeSignal[] {
  const wakeSignals: WakeSignal[] = [];
  for (let start = 0; start < deliveryIds.length; start += IDS_IN_A_WAKE_SIGNAL) {
    wakeSignals.push({ organisationId, webhookId, deliveryIds: deliveryIds.slice(start, start + IDS_IN_A_WAKE_SIGNAL) });
  }
  return wakeSignals;
}

/**
 * Carries wake signals between processes. PostgreSQL is the truth: a wake signal may be lost, come twice or late, and a sweep every minute
 * finds what no wake signal named.
 */
export interface WakeSignalSender {
  /** Rejects within 2 seconds where the queue cannot be reached. */
  send(wakeSignals: readonly WakeSignal[]): Promise<void>;
}

/** Both ends of the queue, as an adapter has them. */
export interface WakeSignalQueue extends WakeSignalSender {
  /**
   * Hands every wake signal to one of the processes that receive. The handler returns soon: it takes note of the wake signal, and what
   * follows is outside the queue. Resumes automatically after the queue was away. `stop` resolves when no handler runs any more.
   */
  receive(handler: (wakeSignal: WakeSignal) => Promise<void> | void): Promise<{ stop(): Promise<void> }>;
  /** Releases connections. */
  close(): Promise<void>;
}
