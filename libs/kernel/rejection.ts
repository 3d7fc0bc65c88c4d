/** A field and its problem, in plain words (contract part 7, `details`). */
export interface Issue {
  readonly field: string;
  readonly issue: string;
}

/**
 * The reason why a command was refused, in the domain's words. Only the HTTP layer maps a kind to a status
 * (`libs/http/errors.ts`).
 */
export interface Rejection {
  readonly kind: 'invalid_request' | 'not_found' | 'conflict' | 'precondition_failed' | 'permission_denied';
  readonly message: string;
  readonly details: readonly Issue[];
}

/** Returns a refusal because of the state of this or another aggregate. */
export function conflict(field: string, issue: string): Rejection {
  return { kind: 'conflict', message: issue, details: [{ field, issue }] };
}

/** Returns a refusal because a resource in the command does not exist for this organisation. */
export function notFound(field: string, issue: string): Rejection {
  return { kind: 'not_found', message: issue, details: [{ field, issue }] };
}

/** Returns a refusal because the command is invalid in every state. */
export function invalid(field: string, issue: string): Rejection {
  return { kind: 'invalid_request', message: issue, details: [{ field, issue }] };
}

/** Carries a rejection out of code that normally returns a value; never used inside deciders. */
export class RejectedError extends Error {
  constructor(readonly rejection: Rejection) {
    super(rejection.message);
    this.name = 'RejectedError';
  }
}

/**
 * Returns the resource of an id from the caller. If there is none, throws {@link RejectedError}
 * (`not_found`), with the same message for every kind of resource.
 */
export function found<Thing>(thing: Thing | null | undefined): Thing {
  if (thing === null || thing === undefined)
    throw new RejectedError({ kind: 'not_found', message: 'there is no such resource', details: [] });
  return thing;
}
