/** Deliveries of one endpoint: first attempts, or later ones. */
export interface LaneKey {
  readonly organisationId: string;
  readonly webhookId: string;
  readonly isAgain: boolean;
}

/** A lane as the dispatcher has it. */
export interface Lane extends LaneKey {
  readonly key: string;
  /** Deliveries that are still to be claimed, in the order in which they came. */
  readonly ids: Set<string>;
  /** Places that it holds, in whichever pools. */
  underWay: number;
  /** Whether the table may have more that is due. */
  hasMore: boolean;
  /** Whether something was claimed since the table was last looked at: without that, another look would find the same. */
  hasClaimed: boolean;
  isLooking: boolean;
}

/** The name of a lane within a process. */
export function keyOf({ webhookId, isAgain }: LaneKey): string {
  return `${webhookId} ${isAgain}`;
}

/** A lane without deliveries. */
export function emptyLane({ organisationId, webhookId, isAgain }: LaneKey): Lane {
  return { organisationId, webhookId, isAgain, key: keyOf({ organisationId, webhookId, isAgain }), ids: new Set(), underWay: 0, hasMore: false, hasClaimed: false, isLooking: false };
}
