import i18next from 'i18next';
import { numberText } from './locale.js';

/** The terms of a belief, in the form of the API. */
export interface Terms {
  readonly job_title: string | null;
  readonly department: Named | null;
  readonly manager: Named | null;
  readonly work_place: Named | null;
  readonly work_type: Named | null;
  readonly working_pattern: Named | null;
  readonly contracted_weekly_minutes: number | null;
  readonly full_time_weekly_minutes: number | null;
}

/** Another resource that a term refers to. */
export interface Named {
  readonly id: string;
  readonly name?: string;
  readonly label?: string;
  readonly display_name?: string;
}

/** A belief: its days, and the times between which it was held; both half-open. */
export interface Belief extends Terms {
  readonly fact_id: string;
  /** Null for an unknown day. */
  readonly effective_from: string | null;
  /** Null if open-ended. */
  readonly effective_to: string | null;
  readonly known_from: string;
  /** Null if current. */
  readonly known_to: string | null;
  readonly employed: boolean;
}

/** A fact that caused beliefs. */
export interface Fact {
  readonly fact_id: string;
  readonly action: string;
  readonly effective_from: string | null;
  readonly recorded_at: string;
  readonly correction_reason: string | null;
}

/** Whether a fact withdraws another one without a replacement. */
export const isWithdrawal = (fact: object): boolean => 'withdraws' in fact && fact.withdraws === true;

/** The terms that the chart can show. */
export const TERMS = [
  'job_title',
  'department',
  'manager',
  'work_place',
  'work_type',
  'working_pattern',
  'contracted_weekly_minutes',
  'full_time_weekly_minutes',
] as const;

export type Field = (typeof TERMS)[number];

/** The label of a term, or of the employment itself; of another field of the API, its own words. */
export const fieldText = (field: string): string =>
  field === 'employed'
    ? i18next.t('employment')
    : i18next.t(`terms.${field as Field}`, { defaultValue: field.replaceAll('_', ' ') });

/** Before every day. */
const UNKNOWN_DAY = '';

/**
 * The belief about a day (`YYYY-MM-DD`) that was held at a time (ISO 8601 in UTC; null: now); null if there
 * was none.
 */
export function beliefAt<Held extends Belief>(
  beliefs: readonly Held[],
  day: string,
  instant: string | null,
): Held | null {
  const holds = ({ effective_from: from, effective_to: to, known_from: since, known_to: until }: Held): boolean =>
    (from ?? UNKNOWN_DAY) <= day &&
    (to === null || day < to) &&
    (instant === null ? until === null : since <= instant && (until === null || instant < until));
  return beliefs.find(holds) ?? null;
}

/** A value of a term for display; a dash for none. Minutes are shown as hours. */
export function valueText(field: Field | 'fte' | 'employed', value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return i18next.t(value ? 'employed' : 'notEmployed');
  if (typeof value === 'number')
    return field.endsWith('minutes') ? i18next.t('hours', { hours: numberText(value / 60, 2) }) : numberText(value, 4);
  if (typeof value === 'string') return value;
  const { name, label, display_name: displayName } = value as Named;
  return name ?? label ?? displayName ?? '–';
}

/** An area of the chart with one value: days across, recorded times upwards. */
export interface Area {
  /** Null for an unknown day. */
  readonly from: string | null;
  /** Null if open-ended. */
  readonly to: string | null;
  readonly knownFrom: string;
  /** Null if current. */
  readonly knownTo: string | null;
  /** Identifies the value; null if the person was not employed. */
  readonly key: string | null;
  readonly text: string;
  /** The fact that caused the value; the last of several in the same millisecond. */
  readonly cause: Fact;
}

/**
 * The areas of a chart of one term: they extend as far as the value is the same, so that a fact about other
 * terms draws no line. An area begins, upwards, with the fact that changed the value there.
 */
export function areasOf(beliefs: readonly Belief[], facts: readonly Fact[], field: Field): readonly Area[] {
  const days = sorted(
    beliefs.flatMap(({ effective_from: from, effective_to: to }) => [
      from ?? UNKNOWN_DAY,
      ...(to === null ? [] : [to]),
    ]),
  );
  const instants = sorted(
    beliefs.flatMap(({ known_from: since, known_to: until }) => [since, ...(until === null ? [] : [until])]),
  );
  const [columnOf, rowOf] = [places(days), places(instants)];
  const width = days.length;
  const grid = new Array<Belief | undefined>(width * instants.length);
  for (const belief of beliefs) {
    const left = columnOf.get(belief.effective_from ?? UNKNOWN_DAY)!;
    const right = belief.effective_to === null ? width : columnOf.get(belief.effective_to)!;
    const top = belief.known_to === null ? instants.length : rowOf.get(belief.known_to)!;
    for (let row = rowOf.get(belief.known_from)!; row < top; row += 1)
      grid.fill(belief, row * width + left, row * width + right);
  }
  const causes = new Map(facts.map((fact) => [fact.recorded_at, fact]));
  const areas: Area[] = [];
  /** The area that ends at the left of the next column, by the row in which it begins. */
  let open = new Map<number, { area: Area; end: number }>();
  for (let column = 0; column < width; column += 1) {
    const next = new Map<number, { area: Area; end: number }>();
    for (const [start, end, belief] of runsOf(grid, column, width, instants.length, field)) {
      const key = keyOf(belief, field);
      const to = days[column + 1] ?? null;
      const former = open.get(start);
      if (former !== undefined && former.end === end && former.area.key === key) {
        open.delete(start);
        next.set(start, { area: { ...former.area, to }, end });
        continue;
      }
      const knownFrom = instants[start]!;
      const area: Area = {
        from: days[column] === UNKNOWN_DAY ? null : days[column]!,
        to,
        knownFrom,
        knownTo: instants[end] ?? null,
        key,
        text: belief.employed ? valueText(field, belief[field]) : i18next.t('notEmployed'),
        cause: causes.get(knownFrom)!,
      };
      next.set(start, { area, end });
    }
    areas.push(...[...open.values()].map(({ area }) => area));
    open = next;
  }
  return [...areas, ...[...open.values()].map(({ area }) => area)];
}

/** The intervals of one column in which the value is the same, each with a belief that contains it. */
function* runsOf(
  grid: readonly (Belief | undefined)[],
  column: number,
  width: number,
  height: number,
  field: Field,
): Generator<readonly [number, number, Belief]> {
  let start = 0;
  for (let row = 1; row <= height; row += 1) {
    const [first, here] = [grid[start * width + column], row < height ? grid[row * width + column] : undefined];
    const isSame =
      row < height &&
      (first === undefined ? here === undefined : here !== undefined && keyOf(first, field) === keyOf(here, field));
    if (isSame) continue;
    if (first !== undefined) yield [start, row, first];
    start = row;
  }
}

function keyOf(belief: Belief, field: Field): string | null {
  if (!belief.employed) return null;
  const value = belief[field];
  return value !== null && typeof value === 'object' ? value.id : String(value);
}

function sorted(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

function places(texts: readonly string[]): ReadonlyMap<string, number> {
  return new Map(texts.map((text, index) => [text, index]));
}
