import i18next from 'i18next';
import { dateTimeFormat, hoursText, shortDayText } from './days.js';

/** The namespace of a screen that shows recorded values: it may have groups `fields` and `values`. */
export type RecordedTexts = 'audit' | 'proposals';

/** The groups of words for the codes of fields, other than `values` and the name of the field. */
const GROUPS: Readonly<Record<string, string>> = {
  start_day_part: 'values.day_part',
  end_day_part: 'values.day_part',
  resource_type: 'resources',
  role: 'roles',
  type: 'actors',
};
const CODE = /^[a-z][a-z_ ]*$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

const first = (...keys: readonly string[]): string | null => {
  const found = keys.find((key) => i18next.exists(key));
  return found === undefined ? null : i18next.t(found as 'nothing');
};

/**
 * The name of a recorded field, such as `home_address.city` or `manager_id`: a field of a field has both
 * names. Null for a field without a name, such as the id of a custom field.
 */
export function fieldName(field: string, texts: RecordedTexts): string | null {
  const names = field.split('.').map((part) => {
    const short = part.replace(/_id$/, '');
    return first(
      ...[part, short].flatMap((key) => [`${texts}:fields.${key}`, `common:terms.${key}`]),
      ...(part === 'employed' ? ['common:employment'] : []),
    );
  });
  return names.includes(null) ? null : names.join(': ');
}

/** The type of a recorded event in words; null for a type of a newer version of the service. */
export function eventName(type: string): string | null {
  return first(`audit:events.${type}`);
}

/** A recorded value in words: codes, hours and days by the language; any other text as it was recorded. */
export function recordedText(field: string, value: string, texts: RecordedTexts): string {
  const name = field.slice(field.lastIndexOf('.') + 1);
  if (value === 'true' || value === 'false') {
    const isTrue = value === 'true';
    return name === 'employed' ? i18next.t(isTrue ? 'employed' : 'notEmployed') : i18next.t(isTrue ? 'yes' : 'no');
  }
  if (name.endsWith('_minutes') && /^-?\d+$/.test(value)) return hoursText(Number(value), 2);
  if (DAY.test(value)) return shortDayText(value);
  if (INSTANT.test(value)) return dateTimeFormat(value);
  const replaced = /^\[([a-z]+)\]$/.exec(value);
  if (replaced !== null) return first(`${texts}:replaced.${replaced[1]}`) ?? value;
  if (!CODE.test(value)) return value;
  const group = GROUPS[name] ?? `values.${name}`;
  return first(`${texts}:${group}.${value}`, `common:${group}.${value}`) ?? value;
}
