import type { LocalDate } from '#kernel/dates.js';
import type { Terms, WholeTerms } from './timeline.js';
import { NO_TERMS, TERM_NAMES } from './timeline.js';

/** A segment as far as comparing needs it. */
export interface ComparedSegment extends WholeTerms {
  readonly valid_from: LocalDate;
  readonly valid_to: LocalDate | null;
  readonly employed: boolean;
  readonly fact_id: string;
  readonly recorded_at: Date;
}

/** A fact that was recorded between the two moments. */
export interface RecordedBetween {
  readonly fact_id: string;
  readonly corrects: string | null;
  readonly recorded_at: Date;
}

/** One field that the later moment believes otherwise over an interval. `to` is exclusive, null for "still". */
export interface TimelineChange {
  readonly from: LocalDate;
  readonly to: LocalDate | null;
  readonly field: 'employed' | keyof Terms;
  readonly before: boolean | string | number | null;
  readonly after: boolean | string | number | null;
  readonly factId: string;
  readonly recordedAt: Date;
}

const FIELDS = ['employed', ...TERM_NAMES] as const;

/** Before the first day, and where nothing is recorded, nobody is employed on any terms. */
const NOTHING = { ...NO_TERMS, employed: false };

/**
 * What changed from an earlier to a later belief: by date and then by field, each interval as long as both moments agree
 * with themselves. It names the fact that changed its first day: the later segment's own where it was recorded in between,
 * else the one that corrected the earlier segment's, else the last one recorded in between.
 */
export function compareTimelines(
  earlier: readonly ComparedSegment[],
  later: readonly ComparedSegment[],
  between: readonly RecordedBetween[],
): readonly TimelineChange[] {
  if (between.length === 0) return [];
  const changes = new Map<string, TimelineChange[]>(FIELDS.map((field) => [field, []]));
  for (const [from, to] of intervals([...earlier, ...later])) {
    const was = at(earlier, from);
    const is = at(later, from);
    const cause = causeOf(was, is, between);
    for (const field of FIELDS) {
      const before = (was ?? NOTHING)[field];
      const after = (is ?? NOTHING)[field];
      if (before === after) continue;
      extend(changes.get(field)!, { from, to, field, before, after, factId: cause.fact_id, recordedAt: cause.recorded_at });
    }
  }
  const place = new Map<string, number>(FIELDS.map((field, index) => [field, index]));
  return [...changes.values()]
    .flat()
    .sort((one, other) => (one.from === other.from ? place.get(one.field)! - place.get(other.field)! : one.from < other.from ? -1 : 1));
}

function intervals(segments: readonly ComparedSegment[]): readonly (readonly [LocalDate, LocalDate | null])[] {
  const borders = [...new Set(segments.flatMap(({ valid_from, valid_to }) => (valid_to === null ? [valid_from] : [valid_from, valid_to])))].sort();
  return borders.map((from, index) => [from, borders[index + 1] ?? null]);
}

function at(segments: readonly ComparedSegment[], day: LocalDate): ComparedSegment | undefined {
  return segments.find((segment) => segment.valid_from <= day && (segment.valid_to === null || day < segment.valid_to));
}

function causeOf(was: ComparedSegment | undefined, is: ComparedSegment | undefined, between: readonly RecordedBetween[]): RecordedBetween {
  const own = between.find((fact) => fact.fact_id === is?.fact_id);
  const corrector = between.find((fact) => fact.corrects !== null && fact.corrects === was?.fact_id);
  return own ?? corrector ?? between.at(-1)!;
}

function extend(changes: TimelineChange[], change: TimelineChange): void {
  const last = changes.at(-1);
  const continues = last !== undefined && last.to === change.from && last.before === change.before && last.after === change.after;
  if (continues) changes[changes.length - 1] = { ...last, to: change.to };
  else changes.push(change);
}
