/**
 * The code of an error of Node's or PostgreSQL's (`ENOENT`, `23505`); null where it has none. It goes by the shape: Jest
 * gives tests an `Error` of their own, of which Node's errors are no instances.
 */
export function codeOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return String(error);
  // Node gives an AggregateError of several addresses no message of its own.
  const message = String(error.message);
  if (message !== '' || !('errors' in error) || !Array.isArray(error.errors)) return message;
  return error.errors.map(messageOf).join('; ');
}
