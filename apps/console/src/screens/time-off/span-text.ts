import i18next from 'i18next';
import type { Schemas } from '../../data/client.js';
import { shortDayText } from '../../data/days.js';

type Dates = Pick<Schemas['SpanOut'], 'start_date' | 'end_date'>;

/** The days of time off, one or several, in words: 3 Aug 2026 to 7 Aug 2026. */
export const spanText = ({ start_date: from, end_date: to }: Dates): string =>
  from === to ? shortDayText(from) : i18next.t('time-off:span', { from: shortDayText(from), to: shortDayText(to) });
