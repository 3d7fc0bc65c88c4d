import i18next from 'i18next';
import { shortDayText } from '../../data/days.js';
import { partOn, type Span } from '../time-off/month.js';

/**
 * The approved time off of a day (`YYYY-MM-DD`) in words, with its last day; null without any. Two half days
 * of one day are that day.
 */
export function awayText(records: readonly Span[], day: string): string | null {
  const parts = new Set(records.map((record) => partOn(record, day)).filter((part) => part !== null));
  if (parts.size === 0) return null;
  const last = records.reduce((until, { end_date: to }) => (to > until ? to : until), day);
  if (last > day) return i18next.t('person:away.until', { day: shortDayText(last) });
  const [part] = parts;
  return i18next.t(`person:away.${parts.size === 1 && (part === 'morning' || part === 'afternoon') ? part : 'full'}`);
}
