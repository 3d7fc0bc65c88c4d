import { WorkforceError } from '@workforce-hr/client';

/** What the service says of a field that it refuses; undefined where it refuses nothing, or another field. */
export function issueOf(error: Error | null, field: string): string | undefined {
  return error instanceof WorkforceError ? error.issueOf(field) : undefined;
}
