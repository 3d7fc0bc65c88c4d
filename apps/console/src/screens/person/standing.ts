import i18next from 'i18next';
import { plusDays, shortDayText } from '../../data/days.js';
import type { Tone } from '../../ui/state-badge.js';
import { fieldText, type Terms, TERMS, valueText } from '../../data/beliefs.js';

/** The employment of a person's record. */
export interface Recorded {
  readonly status: string | null;
  readonly start_date: string | null;
  /** The final day, inclusive. */
  readonly end_date: string | null;
}

/** Whether a person is employed on a day, in words, with the meaning. */
export interface Standing {
  readonly text: string;
  readonly tone: Tone;
}

/**
 * Whether a person is employed on a day (`YYYY-MM-DD`), and until or from when that changes. `status` alone
 * is not enough: it is `ended` as soon as an end is recorded, however far ahead the final day lies.
 */
export function standingOn({ status, start_date: from, end_date: to }: Recorded, day: string): Standing {
  if (status === 'ended' && to !== null) {
    if (to < day) return { text: i18next.t('standing.left', { day: shortDayText(to) }), tone: 'quiet' };
    if (from !== null && from > day)
      return {
        text: i18next.t('standing.works', { from: shortDayText(from), to: shortDayText(to) }),
        tone: 'watch',
      };
    return { text: i18next.t('standing.leaves', { day: shortDayText(to) }), tone: 'watch' };
  }
  if (status === 'active')
    return from !== null && from > day
      ? { text: i18next.t('standing.starts', { day: shortDayText(from) }), tone: 'watch' }
      : { text: statusText(status), tone: 'good' };
  return { text: status === null ? i18next.t('standing.none') : statusText(status), tone: 'quiet' };
}

/** The status of an employment; of another one of the API, its own words. */
export const statusText = (status: string): string =>
  i18next.t(`standing.statuses.${status as 'active'}`, { defaultValue: status });

/** Terms over an interval of days, from the timeline; a gap has `employed: false`. */
export interface Segment extends Terms {
  readonly fact_id: string;
  /** Null for an unknown day. */
  readonly effective_from: string | null;
  /** Exclusive; null if open-ended. */
  readonly effective_to: string | null;
  readonly employed: boolean;
}

/** Before every day. */
const UNKNOWN_DAY = '';

/** The segment that holds a day; undefined before the first one, and without dated facts. */
export function segmentOn<Of extends Segment>(segments: readonly Of[], day: string): Of | undefined {
  return segments.find(
    ({ effective_from: from, effective_to: to }) => (from ?? UNKNOWN_DAY) <= day && (to === null || day < to),
  );
}

/** The label of a record's terms on a day: those of the day, the coming ones, or the last ones. */
export function termsTitle(segments: readonly Segment[], day: string): string {
  if (segments.length === 0 || segmentOn(segments, day)?.employed === true) return i18next.t('person:terms.today');
  const coming = segments.find(({ employed, effective_from: from }) => employed && (from ?? UNKNOWN_DAY) > day);
  if (coming !== undefined) return i18next.t('person:terms.from', { day: shortDayText(coming.effective_from!) });
  const last = segments.findLast(({ employed }) => employed)!;
  return i18next.t('person:terms.last', { day: shortDayText(plusDays(last.effective_to!, -1)) });
}

/** A recorded fact of a future day. */
export interface Planned {
  readonly factId: string;
  /** Whether the record begins with it: it can be changed, not withdrawn. */
  readonly isFirst: boolean;
  readonly from: string;
  readonly changes: readonly { readonly what: string; readonly before: string; readonly after: string }[];
}

/** Recorded changes after a day, in the order of days. */
export function plannedAfter(segments: readonly Segment[], day: string): readonly Planned[] {
  return segments.flatMap((segment, index) => {
    const { fact_id: factId, effective_from: from, employed } = segment;
    if (from === null || from <= day) return [];
    const former = segments[index - 1];
    const works = former?.employed ?? false;
    const employment =
      employed === works
        ? []
        : [
            {
              what: fieldText('employed'),
              before: valueText('employed', works),
              after: valueText('employed', employed),
            },
          ];
    const terms = TERMS.map((field) => ({
      what: fieldText(field),
      before: valueText(field, former?.[field]),
      after: valueText(field, segment[field]),
    })).filter(({ before, after }) => employed && before !== after);
    return [{ factId, isFirst: index === 0, from, changes: [...employment, ...terms] }];
  });
}
