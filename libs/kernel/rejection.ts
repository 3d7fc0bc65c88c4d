/** One field and what is wrong with it, in plain words (contract part 7, `details`). */
export interface Issue {
  readonly field: string;
  readonly issue: string;
}

/**
 * Why a command was refused, in the domain's words. Only the HTTP edge knows which status a kind has
 * (`libs/http/errors.ts`).
 */
export interface Rejection {
  readonly kind: 'invalid_request' | 'not_found' | 'conflict' | 'precondition_failed' | 'permission_denied';
  readonly message: string;
  readonly details: readonly Issue[];
}

/** A refusal because of the state that the aggregate, or another one, is in. */
export function conflict(field: string, issue: string): Rejection {
  return { kind: 'conflict', message: issue, details: [{ field, issue }] };
}

/** A refusal because something named in the command does not exist for this organisation. */
export function notFound(field: string, issue: string): Rejection {
  return { kind: 'not_found', message: issue, details: [{ field, issue }] };
}

/** A refusal because the command itself makes no sense, whatever the state. */
export function invalid(field: string, issue: string): Rejection {
  return { kind: 'invalid_request', message: issue, details: [{ field, issue }] };
}

/** Carries a rejection through code that answers by returning; never used inside deciders. */
export class RejectedError extends Error {
  constructor(readonly rejection: Rejection) {
    super(rejection.message);
    this.name = 'RejectedError';
  }
}

/** What an id of the caller's stands for. Throws {@link RejectedError} (`not_found`), in the same words for everything, where it is nothing. */
export function found<Thing>(thing: Thing | null | undefined): Thing {
  if (thing === null || thing === undefined)
    throw new RejectedError({ kind: 'not_found', message: 'there is no such resource', details: [] });
  return thing;
}
