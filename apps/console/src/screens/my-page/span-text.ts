import type { Namespace } from '../../languages/start-languages.js';
import type { TFunction } from 'i18next';
import type { Schemas } from '../../data/client.js';
import { shortDayText } from '../../data/days.js';

/** The texts of these screens. */
export type Texts = TFunction<'my-page' & Namespace>;

/** The days of time off, one or several, in words. */
export function spanText(
  t: Texts,
  { start_date: from, end_date: to }: { readonly start_date: string; readonly end_date: string },
): string {
  return from === to ? shortDayText(from) : t('span', { from: shortDayText(from), to: shortDayText(to) });
}

/** What is left of a balance: in days where people count in days and the length of a day is known. */
export function availableText(t: Texts, { unit, days, available }: Schemas['CategoryBalance']): string {
  return unit === 'days' && days !== null
    ? t('days', { count: rounded(days.available) })
    : t('hours', { count: rounded(available / 60) });
}

/** A number with at most two decimals. */
export const rounded = (amount: number): number => Number(amount.toFixed(2));
