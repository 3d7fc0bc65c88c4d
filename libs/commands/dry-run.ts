import type { Append } from '#event-store/event-store.js';
import type { Recorder } from './write-session.js';
import { WriteSession } from './write-session.js';

/** Ends a dry run where the command would have recorded its first events: everything that could refuse it has been checked. */
export class DecidedError extends Error {
  constructor(readonly append: Append) {
    super('the command was decided and nothing was recorded');
    this.name = 'DecidedError';
  }
}

const DECIDING: Recorder = {
  record: ({ appends }) => {
    const [append] = appends;
    return append === undefined ? Promise.resolve([]) : Promise.reject(new DecidedError(append));
  },
};

/**
 * Returns a session in which a command reads, checks and decides as in any other, and records nothing: its first append throws
 * {@link DecidedError}. A command that returns instead has nothing to record.
 */
export function dryRunSession(): WriteSession {
  return new WriteSession({
    recorder: DECIDING,
    preloaded: null,
    // Nothing claims a key, so no receipt is ever written under this one.
    receiptKey: { organisationId: '', environment: 'live', keyId: '', idempotencyKey: '' },
    seal: null,
    release: () => Promise.resolve(),
    onLostReceipt: () => undefined,
  });
}
