/** An error in the form of a log line. */
export interface LoggedError {
  readonly type: string;
  readonly code?: string;
  readonly message?: string;
  /** Its stack trace, without its message. */
  readonly stack?: readonly string[];
  readonly cause?: LoggedError;
}

const MAX_CAUSE_DEPTH = 5;

/**
 * Returns the part of an error that may be logged. PostgreSQL puts whole rows into the details of an error,
 * and both it (SQLSTATE class 22) and `JSON.parse` put the unreadable text into the message, so neither
 * message is logged.
 */
export function errorForLog(error: unknown, depth = 1): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  const quotesData = error instanceof SyntaxError || (code !== undefined && /^22...$/.test(code));
  return {
    type: error.name,
    ...(code === undefined ? {} : { code }),
    ...(quotesData ? {} : { message: error.message }),
    stack: (error.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .map((line) => line.trim()),
    ...(error.cause === undefined || depth === MAX_CAUSE_DEPTH ? {} : { cause: errorForLog(error.cause, depth + 1) }),
  };
}

/** Returns the name and code of an error, but not its message, which may quote data. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = 'code' in error ? String(error.code) : '';
  return `${error.name} ${code}`.trim();
}
