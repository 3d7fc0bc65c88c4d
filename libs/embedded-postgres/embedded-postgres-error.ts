/** The embedded PostgreSQL cannot run; the message is one sentence for an operator with the remedy. */
export class EmbeddedPostgresError extends Error {
  constructor(message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'EmbeddedPostgresError';
  }
}
