import type { WebhookSecrets } from './webhook-secrets.js';

/** The time for which the previous secret still signs (contract part 8). */
export const ROTATION_OVERLAP_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** The secrets of an endpoint's row; both are encrypted. */
export interface SealedSecrets {
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly rotated_at: Date | null;
}

/** The secrets that currently sign a delivery, the newest first. Throws the errors of decryption. */
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
