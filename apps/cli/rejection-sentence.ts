import { RejectedError, type Rejection } from '#kernel/rejection.js';
import { CommandError } from './command-error.js';

/** Fields whose option is not their name with hyphens. */
const OPTIONS: Readonly<Record<string, string>> = {
  country_code: '--country',
  expires_at: '--expires',
  subscribed_events: '--events',
  'home_address.address_line_1': '--home-address-line-1',
  'home_address.address_line_2': '--home-address-line-2',
  'home_address.address_line_3': '--home-address-line-3',
  'home_address.country_code': '--home-address-country',
};

/**
 * Returns a rejection by the domain as one sentence, with the option of the command line that must be
 * corrected.
 */
export function rejectionSentence(rejection: Rejection): string {
  const { field, issue } = rejection.details[0] ?? { field: '', issue: rejection.message };
  if (/^is disabled\b/.test(issue)) return `The ${field.replaceAll('_', ' ')} ${issue}.`;
  if (/^(?:must|does not)\b/.test(issue)) return `${OPTIONS[field] ?? `--${field.replaceAll(/[._]/g, '-')}`} ${issue}.`;
  return `${issue.charAt(0).toUpperCase()}${issue.slice(1)}.`;
}

/** Runs a command of a resource. Throws {@link CommandError} for a rejection by the domain. */
export async function orSentence<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RejectedError) throw new CommandError(rejectionSentence(error.rejection), { cause: error });
    throw error;
  }
}
