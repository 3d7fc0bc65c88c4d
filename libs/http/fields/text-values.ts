import { isLocalDate } from '#kernel/dates.js';
import { lineProblem } from '#kernel/plain-text.js';
import { isDateTime, type Rule, rule, textRule } from './rules.js';
import type { Shape } from './shape.js';

/** The group of what holds only for the texts of a query or a path, for class-validator and class-transformer. */
export const FROM_TEXT = 'text';

const WHOLE_NUMBER = /^-?\d{1,16}$/;
const DECIMAL_NUMBER = /^-?\d{1,16}(?:\.\d{1,16})?$/;

const HOW_A_MOMENT_IS_WRITTEN =
  'must be a date-time with an offset, such as 2026-01-31T09:30:00Z or 2026-01-31T10:30:00%2B01:00 (%2B is a plus sign in a URL), or a date, such as 2026-01-31, for midnight UTC';

const IS_ONE: Rule = rule('isOne', (value) => !Array.isArray(value), 'must be given once');
const IS_LINE: Rule = textRule(
  'isLine',
  (text) => lineProblem(text) === null,
  (text) => lineProblem(text) ?? '',
);
const IS_MOMENT: Rule = textRule('isMoment', isDateTime, HOW_A_MOMENT_IS_WRITTEN);

/** Returns the rules that a value has to keep only where it comes from a text. They are reported before those of its shape. */
export function rulesFromText({ kind }: Shape): readonly Rule[] {
  if (kind === 'identifier') return [IS_ONE];
  return kind === 'date_time' ? [IS_ONE, IS_LINE, IS_MOMENT] : [IS_ONE, IS_LINE];
}

/** Returns the value that a text stands for; the text itself where it stands for none, so that the rules refuse it. */
export function fromText({ kind }: Shape, text: unknown): unknown {
  if (typeof text !== 'string') return text;
  // A form sends each of its fields, the empty ones too.
  if (text === '') return undefined;
  if (kind === 'integer') return WHOLE_NUMBER.test(text) ? Number(text) : text;
  if (kind === 'number') return DECIMAL_NUMBER.test(text) ? Number(text) : text;
  if (kind === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return kind === 'date_time' ? momentOf(text) : text;
}

/**
 * Reads a date-time as clients write it: with an offset of `+0100` or `+01:00`, or with a blank in place of the plus sign, which is what an
 * unescaped one means in a query; or as a date, which is its midnight in UTC.
 */
function momentOf(text: string): string {
  const signed = text.replace(/ (?=\d{2}:?\d{2}$)/, '+').replace(/(?<=[+-]\d{2})(?=\d{2}$)/, ':');
  return isLocalDate(text) ? `${text}T00:00:00Z` : signed;
}

/** Returns a valid value as the handlers of queries take it: moments in UTC with milliseconds. */
export function inUtc({ kind }: Shape, value: unknown): unknown {
  return kind === 'date_time' && typeof value === 'string' ? new Date(value).toISOString() : value;
}
