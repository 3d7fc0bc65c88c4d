/** An error as a line of the log has it. */
export interface LoggedError {
  readonly type: string;
  readonly code?: string;
  readonly message?: string;
  /** Where it was thrown, without its message. */
  readonly stack?: readonly string[];
  readonly cause?: LoggedError;
}

/** Causes of causes are enough. */
const DEEPEST = 5;

/**
 * What may be said of an error in the log. PostgreSQL puts whole rows into the details of an error, and both
 * it (SQLSTATE class 22) and `JSON.parse` put what they could not read into the message, so neither message
 * is logged.
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
    ...(error.cause === undefined || depth === DEEPEST ? {} : { cause: errorForLog(error.cause, depth + 1) }),
  };
}

/** Returns the name and code of an error, but not its message, which may quote data. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const code = 'code' in error ? String(error.code) : '';
  return `${error.name} ${code}`.trim();
}
