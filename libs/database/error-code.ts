/**
 * Returns the code of an error of Node or PostgreSQL (`ENOENT`, `23505`); null if it has none. It checks the
 * shape and not the class, because Jest gives tests a separate `Error` class, and Node's errors are not
 * instances of it.
 */
export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** Returns the message of any thrown value. */
export function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return String(error);
  // Node’s AggregateError for several addresses has an empty message.
  const message = String(error.message);
  if (message !== '' || !('errors' in error) || !Array.isArray(error.errors)) return message;
  return error.errors.map(messageOf).join('; ');
}
