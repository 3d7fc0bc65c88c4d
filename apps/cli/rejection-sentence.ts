import { RejectedError, type Rejection } from '#kernel/rejection.js';
import { CommandError } from './command-error.js';

/** Fields whose option is not their name with hyphens. */
const OPTIONS: Readonly<Record<string, string>> = { country_code: '--country', expires_at: '--expires' };

/** A refusal of the domain as one sentence: an option that must be otherwise is named as it was typed. */
export function rejectionSentence(rejection: Rejection): string {
  const { field, issue } = rejection.details[0] ?? { field: '', issue: rejection.message };
  if (/^must\b/.test(issue)) return `${OPTIONS[field] ?? `--${field.replaceAll('_', '-')}`} ${issue}.`;
  return `${issue.charAt(0).toUpperCase()}${issue.slice(1)}.`;
}

/** Runs a command of a resource; what the domain refuses becomes a {@link CommandError}. */
export async function orSentence<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RejectedError) throw new CommandError(rejectionSentence(error.rejection), { cause: error });
    throw error;
  }
}
