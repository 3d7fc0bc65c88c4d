import { WorkforceError } from '@workforce-hr/client';
import i18next from 'i18next';
import { isOutage } from '../data/connection.js';

/** Whether what was asked for does not exist, so that asking again is of no use. */
export function isMissing(error: Error): boolean {
  return error instanceof WorkforceError && error.status === 404;
}

/** The kind of failure: no connection, a response of the service, or an error of this page. */
export function titleOf(error: Error): string {
  if (isMissing(error)) return i18next.t('failure.missing');
  if (error instanceof WorkforceError) return i18next.t(error.status >= 500 ? 'failure.service' : 'failure.refused');
  return i18next.t(isOutage(error) ? 'failure.connection' : 'failure.page');
}

/** A failure's message, after a sentence for the code of the service's error if the catalogue has one. */
export function messageOf(error: Error): string {
  if (!(error instanceof WorkforceError)) return error.message;
  const { code, message } = error;
  return i18next.t(`errors.${code as 'conflict'}`, { defaultValue: message, message });
}

/** The remedy for a failure; null if its message contains it. */
export function hintOf(error: Error): string | null {
  if (isOutage(error)) return i18next.t('failure.connectionHint');
  return error instanceof WorkforceError ? null : i18next.t('failure.pageHint');
}
