/** The idempotency key was already used for another request. */
export class IdempotencyMismatchError extends Error {
  constructor() {
    super('the idempotency key was used for another request');
    this.name = 'IdempotencyMismatchError';
  }
}

/** Another request with the idempotency key is in progress. */
export class InProgressError extends Error {
  constructor() {
    super('a request with this idempotency key is in progress');
    this.name = 'InProgressError';
  }
}
