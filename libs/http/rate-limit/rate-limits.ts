/** Requests per 60 seconds, each at least 1, without an upper bound (docs/reference/http.md). */
export interface RateLimits {
  readonly key: number;
  readonly keyWrites: number;
  readonly organisation: number;
  readonly webhookKey: number;
  readonly webhookOrganisation: number;
  /** Imports that an organisation asks for. */
  readonly imports: number;
  /** Requests of one address for public documents, in each process. */
  readonly publicDocuments: number;
  /** Failed authentications of one address. */
  readonly failedAuthentication: number;
}

export const WINDOW_SECONDS = 60;

/** A budget that requests draw from. Callers read its name in `RateLimit-Policy`. */
export interface Budget {
  readonly name: 'key' | 'key-writes' | 'organisation' | 'webhook-key' | 'webhook-organisation' | 'imports' | 'failed-authentication';
  readonly limit: number;
  /** The owner of the budget. Each subject has one window. */
  readonly subject: string;
}
