/** Says where events may be sent. */
export interface EndpointUrls {
  /**
   * What is wrong with the address as it is written, in plain words; null where nothing is. Looks nothing up.
   */
  problemOf(url: string): string | null;
  /**
   * Looks the address up. Rejects with an error that has an `issue` where nothing may be sent there: see
   * {@link urlIssueOf}.
   */
  vet(url: string): Promise<unknown>;
}

/** Why an address was refused, in plain words; null for an error that says something else. */
export function urlIssueOf(error: unknown): string | null {
  return error instanceof Error && 'issue' in error && typeof error.issue === 'string' ? error.issue : null;
}
