import type { Namespace } from '../../languages/start-languages.js';
import type { TFunction } from 'i18next';
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
