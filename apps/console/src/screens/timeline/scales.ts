import { currentLocale } from '../../data/locale.js';

/** Converts between values of an axis and positions, in pixels from its lower end. */
export interface Scale {
  readonly length: number;
  placeOf(value: string): number;
  /** The value at a position, which may be outside of the axis. */
  valueAt(place: number): string;
}

const DAY = 86_400_000;
const timeOfDay = (day: string): number => Date.parse(`${day}T00:00:00Z`);
const dayOfTime = (time: number): string => new Date(Math.round(time / DAY) * DAY).toISOString().slice(0, 10);

/**
 * Days (`YYYY-MM-DD`) from the first to the last mark, half in proportion and half evenly from one mark to
 * the next: years without a change do not compress a month with many changes into one line.
 *
 * @param marks days in order, at least two
 */
export function dayScale(marks: readonly string[], length: number): Scale {
  const scale = blend(marks.map(timeOfDay), length);
  return {
    length,
    placeOf: (day) => scale.placeOf(timeOfDay(day)),
    valueAt: (place) => dayOfTime(scale.numberAt(place)),
  };
}

/**
 * Times (ISO 8601), half in proportion and half evenly between the recorded times of facts.
 * @param instants in order; the axis goes from the first to now
 */
export function instantScale(instants: readonly string[], now: string, length: number): Scale {
  const scale = blend([...instants, now].map(Date.parse), length);
  return {
    length,
    placeOf: (instant) => scale.placeOf(Date.parse(instant)),
    valueAt: (place) => new Date(Math.round(scale.numberAt(place))).toISOString(),
  };
}

function blend(
  marks: readonly number[],
  length: number,
): { placeOf(value: number): number; numberAt(place: number): number } {
  const [start, steps] = [marks[0]!, Math.max(marks.length - 1, 1)];
  const range = Math.max(marks.at(-1)! - start, 1);
  const places = marks.map((mark, index) => (((mark - start) / range + index / steps) / 2) * length);
  return { placeOf: (value) => between(value, marks, places), numberAt: (place) => between(place, places, marks) };
}

/** Interpolates a value between two of `from`; values outside are clamped. */
function between(value: number, from: readonly number[], to: readonly number[]): number {
  const after = firstNotBefore(from, value);
  if (after === from.length) return to.at(-1)!;
  if (after === 0) return to[0]!;
  const [low, high] = [from[after - 1]!, from[after]!];
  return to[after - 1]! + ((value - low) / (high - low)) * (to[after]! - to[after - 1]!);
}

/**
 * The index of the first of these numbers, which are in order, that is not below a value; their number where
 * all are.
 */
function firstNotBefore(numbers: readonly number[], value: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The first days of years, or of months where there are few years, of an axis from one day to another: its
 * labels.
 */
export function ticksOf(first: string, last: string): readonly { readonly day: string; readonly text: string }[] {
  const [startYear, endYear] = [Number(first.slice(0, 4)), Number(last.slice(0, 4))];
  const years = endYear - startYear;
  const step = Math.max(1, Math.ceil(years / 10));
  const months = years <= 2 ? [1, 4, 7, 10] : [1];
  const ticks: { day: string; text: string }[] = [];
  for (let year = startYear; year <= endYear; year += step) {
    for (const month of months) {
      const day = `${year}-${String(month).padStart(2, '0')}-01`;
      if (day < first || day > last) continue;
      const name = new Date(`${day}T00:00:00Z`).toLocaleDateString(currentLocale(), {
        month: 'short',
        timeZone: 'UTC',
      });
      ticks.push({ day, text: month === 1 ? String(year) : name });
    }
  }
  return ticks;
}
