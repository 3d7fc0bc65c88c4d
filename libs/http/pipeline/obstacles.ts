import { HttpError } from '../errors.js';
import type { AuthenticatedKey } from '../keys/authenticated-key.js';
import type { Operation } from '../operation.js';

/** What keeps a key from an operation: a scope that it lacks, its organisation's plan, or writes that the operator has not approved. */
export type Obstacle = 'scope' | 'plan' | 'approval';

/** Returns what keeps a key from an operation; null where nothing does (contract parts 1 and 5). */
export function obstacleOf({ scope, write }: Operation, { scopes, organisation }: AuthenticatedKey): Obstacle | null {
  if (scope !== null && !scopes.has(scope)) return 'scope';
  // Webhook management is open to every plan (contract part 1).
  if (write === undefined || scope === 'webhooks:manage') return null;
  if (organisation.plan === 'starter') return 'plan';
  return organisation.writesApproved ? null : 'approval';
}

/** Returns the refusal of an operation for this reason (403). */
export function deniedBy(
  obstacle: Obstacle,
  { scope }: Pick<Operation, 'scope'>,
  { session }: Pick<AuthenticatedKey, 'session'>,
): HttpError {
  switch (obstacle) {
    case 'scope':
      return new HttpError('permission_denied', {
        message: `${session === null ? 'The API key' : `The role ${session.role}`} lacks the scope ${scope}.`,
      });
    case 'plan':
      return denied('plan', 'writes need the plan standard or higher');
    case 'approval':
      return denied('approval', 'writes need the approval of the service operator');
  }
}

function denied(field: string, issue: string): HttpError {
  return new HttpError('permission_denied', { details: [{ field, issue }] });
}
