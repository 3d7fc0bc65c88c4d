import { randomInt } from 'node:crypto';

const DAY_MILLISECONDS = 86_400_000;
/** Texts that cause trouble in files, statements and JSON, and ordinary names. */
const WORDS = [
  'Ada',
  'Łódź',
  'O\'Neil "Junior"',
  'a\\b',
  'no\u00a0break',
  'می\u200cخواهم',
  '李小龍',
  '👩‍🔬 Lab',
  '<b>&amp;',
  '%20 $1',
  'null',
  'Grace',
];

/** No resource exists yet for a step. */
export class NothingThereError extends Error {}

/** Returns a random choice. Throws {@link NothingThereError} where there is none. */
export function oneOf<T>(choices: readonly T[]): T {
  if (choices.length === 0) throw new NothingThereError('there is nothing to choose from');
  return choices[randomInt(choices.length)]!;
}

/** Returns true in this percentage of calls. */
export function chance(percent: number): boolean {
  return randomInt(100) < percent;
}

/** Returns a unique text with unusual characters. */
export function text(): string {
  return `${oneOf(WORDS)} ${randomInt(2 ** 40).toString(36)}`;
}

/** Returns a text that is valid in a key or an e-mail address. */
export function plainText(): string {
  return `x${randomInt(2 ** 47).toString(36)}`;
}

/** Returns a random day between two days, both inclusive. */
export function dayBetween(first: string, last: string): string {
  const days = (Date.parse(last) - Date.parse(first)) / DAY_MILLISECONDS;
  return new Date(Date.parse(first) + randomInt(Math.max(0, days) + 1) * DAY_MILLISECONDS).toISOString().slice(0, 10);
}

/** Returns some members of an object, at least one. */
export function someOf(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(members).filter(() => chance(40));
  return Object.fromEntries(kept.length > 0 ? kept : [oneOf(Object.entries(members))]);
}
