/** A command cannot do what it was asked; the message is one sentence for an operator. It exits with {@link EXIT_CODES.refused}. */
export class CommandError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'CommandError';
  }
}

/** The command was typed wrongly: an option or an argument must be otherwise. */
export class UsageError extends CommandError {
  override readonly name = 'UsageError';
}

/** What the command names does not exist. */
export class NotFoundError extends CommandError {
  override readonly name = 'NotFoundError';
}
