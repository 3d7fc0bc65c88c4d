import type { HttpError } from '#http/errors.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import type { CallSequence } from './call-sequence.js';

/** The caller of a tool, a resource or a prompt. */
export interface Caller {
  readonly key: AuthenticatedKey;
  /** Of the HTTP request. */
  readonly requestId: string;
  /** Returns the address at which the caller reached the listener. */
  readonly address: () => string;
  /**
   * The name that the client gave itself; null where it gave none. Text of somebody else, never to be
   * believed.
   */
  readonly client: string | null;
  /** Shared by all calls of the HTTP request. */
  readonly turns: CallSequence;
  /** Draws from the budget of writes. Throws where it is used up. */
  readonly onWrite: () => Promise<void>;
  /** Called with the id of each operation that is about to run. */
  readonly onInvoke: (operationId: string) => void;
  /** Called with each error that ends a call, so that the cause of a failure is logged. */
  readonly onError: (error: HttpError) => void;
}
