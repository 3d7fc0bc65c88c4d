import { HttpError } from '#http/errors.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import { isProposable, type Operation } from '#http/operation.js';
import { deniedBy, type Denial, denialOf } from '#http/pipeline/guards.js';
import type { Scope } from '#kernel/scopes.js';

/**
 * The result of an AI client's request for an operation: it runs at once, it becomes a proposal, or it does
 * not run.
 */
export const DISPOSITIONS = ['direct', 'approval_required', 'unavailable'] as const;
export type Disposition = (typeof DISPOSITIONS)[number];

/**
 * The reason for which an operation is not available: the same as in REST, or that it is not offered to AI
 * clients, or not to those of users.
 */
export type UnavailableReason = Denial | 'not_offered';

/** The one disposition of an operation for a key. */
export interface ExecutionDisposition {
  readonly disposition: Disposition;
  /** Null for an operation that is available. */
  readonly reason: UnavailableReason | null;
}

/**
 * The scope that a key needs for every write through AI clients, besides the operation's own (contract part
 * 5).
 */
const WRITE_SCOPE: Scope = 'mcp:write';

interface Hindrance {
  readonly reason: UnavailableReason;
  readonly refusal: () => HttpError;
}

/**
 * Returns the disposition of an operation for a key. Discovery reports it and calls follow it. `reads` is the
 * operation with which a proposal reads the resource that it changes, null for others.
 */
export function dispositionOf(
  operation: Operation,
  key: AuthenticatedKey,
  reads: Operation | null,
): ExecutionDisposition {
  const hindrance = hindranceOf(operation, key, reads);
  if (hindrance !== null) return { disposition: 'unavailable', reason: hindrance.reason };
  return { disposition: isProposed(operation, key) ? 'approval_required' : 'direct', reason: null };
}

/**
 * Whether an operation becomes a proposal if an AI client with this key requests it, provided that it is
 * available.
 */
export function isProposed(operation: Operation, { organisation }: AuthenticatedKey): boolean {
  return isProposable(operation) && !organisation.directOperations.has(operation.operationId);
}

/** Throws the refusal (403) of an operation that is not available to a key. */
export function assertAvailable(operation: Operation, key: AuthenticatedKey, reads: Operation | null): void {
  const hindrance = hindranceOf(operation, key, reads);
  if (hindrance !== null) throw hindrance.refusal();
}

function hindranceOf(operation: Operation, key: AuthenticatedKey, reads: Operation | null): Hindrance | null {
  const obstacle = denialOf(operation, key);
  if (obstacle !== null) return { reason: obstacle, refusal: () => deniedBy(obstacle, operation, key) };
  if (operation.write === undefined) return null;
  if (key.session !== null) return { reason: 'not_offered', refusal: onlyReads };
  if (operation.tools.length === 0) return { reason: 'not_offered', refusal: notOffered };
  if (!key.scopes.has(WRITE_SCOPE))
    return { reason: 'scope', refusal: () => deniedBy('scope', { scope: WRITE_SCOPE }, key) };
  const unread = reads === null ? null : denialOf(reads, key);
  return unread === null ? null : { reason: unread, refusal: () => deniedBy(unread, reads!, key) };
}

function notOffered(): HttpError {
  return new HttpError('permission_denied', {
    details: [{ field: 'operation', issue: 'is not offered to AI clients' }],
  });
}

/** The refusal of a write by an AI client that acts in the session of a user. */
function onlyReads(): HttpError {
  return new HttpError('permission_denied', { message: 'An AI client of a user only reads.' });
}
