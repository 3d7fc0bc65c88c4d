import type { WebhookSecrets } from './webhook-secrets.js';

/** How long the secret before the newest one still signs (contract part 8). */
export const ROTATION_OVERLAP_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** What an endpoint's row says of its secrets; both are sealed. */
export interface SealedSecrets {
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly rotated_at: Date | null;
}

/**
 * The secrets that a delivery is signed with at this moment, the newest first. Throws what opening them
 * throws.
 */
export async function secretsInForce(
  secrets: WebhookSecrets,
  webhookId: string,
  sealed: SealedSecrets,
  now: Date,
): Promise<readonly [string, ...string[]]> {
  const { secret, previous_secret: previous, rotated_at: rotatedAt } = sealed;
  const newest = await secrets.open(secret, webhookId);
  const overlaps =
    previous !== null && rotatedAt !== null && now.getTime() < rotatedAt.getTime() + ROTATION_OVERLAP_MILLISECONDS;
  return overlaps ? [newest, await secrets.open(previous, webhookId)] : [newest];
}
