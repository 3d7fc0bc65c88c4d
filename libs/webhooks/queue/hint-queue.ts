/** Deliveries of one endpoint that are worth a look: ids only, because the table says what they are and whether they are due. */
export interface DeliveryHint {
  readonly organisationId: string;
  readonly webhookId: string;
  /** 1 to 100. */
  readonly deliveryIds: readonly string[];
  /** Whether these were attempted before, so that they do not take the places of first attempts. */
  readonly isAgain?: boolean;
  /** Whether further deliveries of the lane are due. The worker that takes the hint reads them from the table. */
  readonly hasMore?: boolean;
}

/** Deliveries that one hint tells of, at most. */
export const IDS_IN_A_HINT = 50;

/** Hints of these deliveries of one endpoint, in their order. */
export function hintsOf(organisationId: string, webhookId: string, deliveryIds: readonly string[]): readonly DeliveryHint[] {
  const hints: DeliveryHint[] = [];
  for (let start = 0; start < deliveryIds.length; start += IDS_IN_A_HINT) {
    hints.push({ organisationId, webhookId, deliveryIds: deliveryIds.slice(start, start + IDS_IN_A_HINT) });
  }
  return hints;
}

/**
 * Carries hints between processes. PostgreSQL is the truth: a hint may be lost, come twice or late, and a sweep every minute
 * finds what no hint told of.
 */
export interface HintSender {
  /** Rejects within 2 seconds where the queue cannot be reached. */
  send(hints: readonly DeliveryHint[]): Promise<void>;
}

/** Both ends of the queue, as an adapter has them. */
export interface HintQueue extends HintSender {
  /**
   * Hands every hint to one of the processes that receive. The handler returns soon: it takes note of the hint, and what
   * follows is not the queue's. Goes on by itself after the queue was away. `stop` resolves when no handler runs any more.
   */
  receive(handler: (hint: DeliveryHint) => Promise<void> | void): Promise<{ stop(): Promise<void> }>;
  /** Lets go of connections. */
  close(): Promise<void>;
}
