/**
 * A command cannot do its work; the message is one sentence for an operator. It exits with
 * {@link EXIT_CODES.refused}.
 */
export class CommandError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CommandError';
  }
}

/** The command line is wrong: an option or an argument must be corrected. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
}

/** A resource or a file that the command names does not exist. */
export class NotFoundError extends CommandError {
  override readonly name = 'NotFoundError';
}
