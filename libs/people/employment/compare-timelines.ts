import type { LocalDate } from '#kernel/dates.js';
import { NO_TERMS, TERM_NAMES, type Terms, type CompleteTerms } from './timeline.js';

/** The part of a segment that a comparison needs. */
export interface ComparedSegment extends CompleteTerms {
  /** Null for an unknown day. */
  readonly valid_from: LocalDate | null;
  readonly valid_to: LocalDate | null;
  readonly employed: boolean;
  readonly fact_id: string;
  readonly recorded_at: Date;
}

/** A fact that was recorded between the two times. */
export interface RecordedBetween {
  readonly fact_id: string;
  readonly corrects: string | null;
  readonly recorded_at: Date;
}

/**
 * One field whose value over an interval differs at the later time. `to` is exclusive, null if open-ended;
 * `from` is null for an unknown day.
 */
export interface TimelineChange {
  readonly from: LocalDate | null;
  readonly to: LocalDate | null;
  readonly field: 'employed' | keyof Terms;
  readonly before: boolean | string | number | null;
  readonly after: boolean | string | number | null;
  readonly factId: string;
  readonly recordedAt: Date;
}

/** Represents an unknown first day: before every date, as text. */
const UNKNOWN_DAY = '';

const FIELDS = ['employed', ...TERM_NAMES] as const;

/** Before the first day, and without recorded facts, the person is not employed. */
const NOTHING = { ...NO_TERMS, employed: false };

/**
 * Lists the changes from an earlier to a later recorded time, by date and then by field. Each interval
 * extends as far as the value is constant at both times. Each change names the fact that changed its first
 * day: the later segment's own if it was recorded in between, otherwise the fact that corrected the earlier
 * segment's, otherwise the last one recorded in between.
 */
export function compareTimelines(
  earlier: readonly ComparedSegment[],
  later: readonly ComparedSegment[],
  between: readonly RecordedBetween[],
): readonly TimelineChange[] {
  if (between.length === 0) return [];
  const changes = new Map<string, TimelineChange[]>(FIELDS.map((field) => [field, []]));
  const [wasOn, isOn, causeOf] = [lookup(earlier), lookup(later), causes(between)];
  for (const [from, to] of intervals([...earlier, ...later])) {
    const was = wasOn(from);
    const is = isOn(from);
    const cause = causeOf(was, is);
    for (const field of FIELDS) {
      const before = (was ?? NOTHING)[field];
      const after = (is ?? NOTHING)[field];
      if (before === after) continue;
      extend(changes.get(field)!, {
        from: from === UNKNOWN_DAY ? null : from,
        to,
        field,
        before,
        after,
        factId: cause.fact_id,
        recordedAt: cause.recorded_at,
      });
    }
  }
  const place = new Map<string, number>(FIELDS.map((field, index) => [field, index]));
  return [...changes.values()]
    .flat()
    .sort((one, other) =>
      one.from === other.from
        ? place.get(one.field)! - place.get(other.field)!
        : (one.from ?? UNKNOWN_DAY) < (other.from ?? UNKNOWN_DAY)
          ? -1
          : 1,
    );
}

function intervals(segments: readonly ComparedSegment[]): readonly (readonly [LocalDate, LocalDate | null])[] {
  const borders = [
    ...new Set(
      segments.flatMap(({ valid_from: from, valid_to: to }) =>
        to === null ? [from ?? UNKNOWN_DAY] : [from ?? UNKNOWN_DAY, to],
      ),
    ),
  ].sort();
  return borders.map((from, index) => [from, borders[index + 1] ?? null]);
}

/**
 * Returns a function that finds the segment of a day. It must be called in the order of days, so that each
 * segment is visited once.
 */
function lookup(segments: readonly ComparedSegment[]): (day: LocalDate) => ComparedSegment | undefined {
  let place = 0;
  return (day) => {
    while (place < segments.length && isOverBy(segments[place]!, day)) place += 1;
    const segment = segments[place];
    return segment !== undefined && (segment.valid_from ?? UNKNOWN_DAY) <= day ? segment : undefined;
  };
}

function isOverBy({ valid_to: to }: ComparedSegment, day: LocalDate): boolean {
  return to !== null && to <= day;
}

/** Finds the fact that turned one segment into the other. */
function causes(
  between: readonly RecordedBetween[],
): (was: ComparedSegment | undefined, is: ComparedSegment | undefined) => RecordedBetween {
  const own = new Map(between.map((fact) => [fact.fact_id, fact]));
  const correctors = new Map(between.filter(({ corrects }) => corrects !== null).map((fact) => [fact.corrects, fact]));
  return (was, is) => own.get(is?.fact_id ?? '') ?? correctors.get(was?.fact_id ?? '') ?? between.at(-1)!;
}

function extend(changes: TimelineChange[], change: TimelineChange): void {
  const last = changes.at(-1);
  const continues =
    last !== undefined && last.to === change.from && last.before === change.before && last.after === change.after;
  if (continues) changes[changes.length - 1] = { ...last, to: change.to };
  else changes.push(change);
}
