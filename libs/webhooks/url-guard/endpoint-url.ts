/** Decides where events may be sent. */
export interface EndpointUrls {
  /** The problem of the address as written, in plain words; null if there is none. Makes no DNS query. */
  problemOf(url: string): string | null;
  /**
   * Resolves the address. Rejects with an error that has an `issue` if nothing may be sent there: see {@link
   * urlIssueOf}.
   */
  vet(url: string): Promise<unknown>;
}

/** The reason for refusing an address, in plain words; null for other errors. */
export function urlIssueOf(error: unknown): string | null {
  return error instanceof Error && 'issue' in error && typeof error.issue === 'string' ? error.issue : null;
}
