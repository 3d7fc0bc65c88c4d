/** Identifies the deliveries of one endpoint that are dispatched together: first attempts, or later attempts (`isAgain`). */
export interface LaneKey {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly isAgain: boolean;
}

/** A lane as the dispatcher keeps it. */
export interface Lane extends LaneKey {
  readonly key: string;
  /** Deliveries that are not claimed yet, in the order in which they were offered. */
  readonly ids: Set<string>;
  /** Slots that the lane holds, over all pools. */
  inFlight: number;
  /** Whether the table may have more due deliveries of this lane. */
  hasMore: boolean;
  /** Whether a delivery was claimed since the last look at the table. Without one, another look would find the same rows. */
  hasClaimed: boolean;
  isLooking: boolean;
}

/** A string that identifies a lane within a process. */
export function keyOf({ webhookId, isAgain }: LaneKey): string {
  return `${webhookId} ${isAgain}`;
}

/** Makes a lane without deliveries. */
export function emptyLane({ organisationId, webhookId, isAgain }: LaneKey): Lane {
  return {
    organisationId,
    webhookId,
    isAgain,
    key: keyOf({ organisationId, webhookId, isAgain }),
    ids: new Set(),
    inFlight: 0,
    hasMore: false,
    hasClaimed: false,
    isLooking: false,
  };
}
