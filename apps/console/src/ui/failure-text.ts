import { WorkforceError } from '@workforce-hr/client';
import { isOutage } from '../data/connection.js';

/** The kind of failure: no connection, a response of the service, or an error of this page. */
export function titleOf(error: Error): string {
  if (error instanceof WorkforceError) return error.status >= 500 ? 'The service has a problem' : 'That did not work';
  return isOutage(error) ? 'No connection' : 'This page has an error';
}

/** The remedy for a failure; null if its message contains it. */
export function hintOf(error: Error): string | null {
  if (isOutage(error)) return 'Check the connection. What is shown here is read again as soon as the service answers.';
  if (error instanceof WorkforceError) return null;
  return (
    'The connection is not the reason. Load the page again; if that does not help, tell those ' + 'who run the service.'
  );
}
