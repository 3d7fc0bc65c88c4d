/** A working day of a pattern's cycle, as the service has it; days that are missing are off. */
export interface PatternDay {
  /** From 1. */
  readonly week: number;
  /** 1 (Monday) to 7. */
  readonly weekday: number;
  readonly morning_minutes: number;
  readonly afternoon_minutes: number;
}

export const HALVES = ['morning', 'afternoon'] as const;
export type Half = (typeof HALVES)[number];

/** A half of a day in the cycle. */
export interface Cell {
  readonly week: number;
  readonly weekday: number;
  readonly half: Half;
}

/** The most minutes of half a day that the painter offers. */
export const MAX_HALF_MINUTES = 12 * 60;
const STEP_MINUTES = 15;

/** The minutes of half a day. */
export function minutesOf(days: readonly PatternDay[], { week, weekday, half }: Cell): number {
  return days.find((day) => day.week === week && day.weekday === weekday)?.[`${half}_minutes`] ?? 0;
}

/** The days after a half was painted; a day without minutes is left out. */
export function painted(days: readonly PatternDay[], cell: Cell, minutes: number): readonly PatternDay[] {
  const { week, weekday, half } = cell;
  const isDay = (day: PatternDay): boolean => day.week === week && day.weekday === weekday;
  const before = days.find(isDay) ?? { week, weekday, morning_minutes: 0, afternoon_minutes: 0 };
  const after = { ...before, [`${half}_minutes`]: minutes };
  const others = days.filter((day) => !isDay(day));
  const isOff = after.morning_minutes === 0 && after.afternoon_minutes === 0;
  return (isOff ? others : [...others, after]).toSorted(
    (one, other) => one.week - other.week || one.weekday - other.weekday,
  );
}

/** The days of a cycle of this many weeks: a longer one repeats its first week. */
export function withWeeks(days: readonly PatternDay[], before: number, weeks: number): readonly PatternDay[] {
  const first = days.filter(({ week }) => week === 1);
  const added = Array.from({ length: Math.max(0, weeks - before) }, (_, index) =>
    first.map((day) => ({ ...day, week: before + index + 1 })),
  );
  return [...days.filter(({ week }) => week <= weeks), ...added.flat()];
}

/** The minutes of a week; the mean of the cycle's weeks without one. */
export function totalOf(days: readonly PatternDay[], weeks: number): number {
  return days.reduce((sum, day) => sum + day.morning_minutes + day.afternoon_minutes, 0) / weeks;
}

/** What a key does in the grid: the next cell, or the minutes of this one; null for other keys. */
export type KeyEffect = { readonly to: Cell } | { readonly minutes: number } | null;

/** The effect of a key on a cell of a grid of `weeks` weeks. `brush`: the minutes that Space paints. */
export function effectOfKey(key: string, cell: Cell, minutes: number, weeks: number, brush: number): KeyEffect {
  const row = (cell.week - 1) * 2 + (cell.half === 'morning' ? 0 : 1);
  const to = (toRow: number, weekday: number): KeyEffect =>
    toRow < 0 || toRow >= weeks * 2 || weekday < 1 || weekday > 7
      ? { to: cell }
      : { to: { week: Math.floor(toRow / 2) + 1, weekday, half: HALVES[toRow % 2]! } };
  switch (key) {
    case 'ArrowLeft':
      return to(row, cell.weekday - 1);
    case 'ArrowRight':
      return to(row, cell.weekday + 1);
    case 'ArrowUp':
      return to(row - 1, cell.weekday);
    case 'ArrowDown':
      return to(row + 1, cell.weekday);
    case 'Home':
      return to(row, 1);
    case 'End':
      return to(row, 7);
    case ' ':
    case 'Enter':
      return { minutes: minutes === brush ? 0 : brush };
    case 'Delete':
    case 'Backspace':
      return { minutes: 0 };
    case '+':
      return { minutes: Math.min(MAX_HALF_MINUTES, minutes + STEP_MINUTES) };
    case '-':
      return { minutes: Math.max(0, minutes - STEP_MINUTES) };
    default:
      return /^\d$/.test(key) ? { minutes: Number(key) * 60 } : null;
  }
}
