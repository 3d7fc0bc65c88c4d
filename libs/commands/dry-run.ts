import type { Append } from '#event-store/event-store.js';

/**
 * Ends a dry run (`CommandContext.isDryRun`) where the command would have recorded its first events, after
 * all its checks. A command that returns instead has nothing to record.
 */
export class DecidedError extends Error {
  constructor(readonly append: Append) {
    super('the command was decided and nothing was recorded');
    this.name = 'DecidedError';
  }
}
