import { HttpError } from '#http/errors.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import type { Operation } from '#http/operation.js';
import { deniedBy, type Obstacle, obstacleOf } from '#http/pipeline/authoriser.js';

/** What happens when an AI client asks for an operation: it runs at once, or it does not run. */
export type Disposition = 'direct' | 'unavailable';

/** Why an operation is not available: what keeps the key from it by REST as well, or that it is not offered to AI clients. */
export type UnavailableReason = Obstacle | 'not_offered';

/** The one disposition of an operation for a key. */
export interface ExecutionDisposition {
  readonly disposition: Disposition;
  /** Null for an operation that is available. */
  readonly reason: UnavailableReason | null;
}

/** Returns the disposition of an operation for a key. Discovery reports it and calls obey it. Writes are not offered to AI clients. */
export function dispositionOf(operation: Operation, key: AuthenticatedKey): ExecutionDisposition {
  const obstacle = obstacleOf(operation, key);
  if (obstacle !== null) return { disposition: 'unavailable', reason: obstacle };
  return operation.write === undefined ? { disposition: 'direct', reason: null } : { disposition: 'unavailable', reason: 'not_offered' };
}

/** Throws the refusal (403) of an operation that is not available to a key. */
export function assertAvailable(operation: Operation, key: AuthenticatedKey): void {
  const { reason } = dispositionOf(operation, key);
  if (reason === null) return;
  if (reason !== 'not_offered') throw deniedBy(reason, operation);
  throw new HttpError('permission_denied', { details: [{ field: 'operation', issue: 'is not offered to AI clients' }] });
}
