import { WorkforceError } from '@workforce-hr/client';

/** The service's issue with a field; undefined if it reports none, or another field. */
export function issueOf(error: Error | null, field: string): string | undefined {
  return error instanceof WorkforceError ? error.issueOf(field) : undefined;
}
