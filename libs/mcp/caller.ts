import type { HttpError } from '#http/errors.js';
import type { AuthenticatedKey } from '#http/keys/authenticated-key.js';
import type { CallSequence } from './call-sequence.js';

/** The caller of a tool, a resource or a prompt. */
export interface Caller {
  readonly key: AuthenticatedKey;
  /** The id of the HTTP request. */
  readonly requestId: string;
  /** Returns the address at which the caller reached the listener. */
  readonly address: () => string;
  /** The name that the client reported; null if it reported none. Untrusted text. */
  readonly client: string | null;
  /** Shared by all calls of the HTTP request. */
  readonly turns: CallSequence;
  /** Counts a write. Throws if the budget is used up. */
  readonly onWrite: () => Promise<void>;
  /** Called with the id of each operation before it runs. */
  readonly onInvoke: (operationId: string) => void;
  /** Called with each error that ends a call, so that the cause of a failure is logged. */
  readonly onError: (error: HttpError) => void;
}
