import { EARLIEST_DATE, type LocalDate } from '#kernel/dates.js';
import { believed, type Fact, periodsOf } from './timeline.js';

/** An uninterrupted stay in one department. */
interface Stay {
  readonly departmentId: string;
  readonly from: LocalDate;
  /** Exclusive; null if it has not ended. */
  readonly to: LocalDate | null;
}

/**
 * The departments to which the facts after a command assign the person on this day or later, and the facts
 * before did not. The new fact need not name a department: a correction can bring back a department that
 * another fact had ended.
 */
export function gainedDepartments(before: readonly Fact[], after: readonly Fact[], day: LocalDate): readonly string[] {
  const had = staysOf(before);
  const gained = staysOf(after).filter(
    (stay) => (stay.to === null || stay.to > day) && !had.some((one) => covers(one, stay, day)),
  );
  return [...new Set(gained.map(({ departmentId }) => departmentId))];
}

function staysOf(facts: readonly Fact[]): readonly Stay[] {
  const stays: Stay[] = [...undatedStay(facts)];
  for (const { employed, terms, validFrom: from, validTo: to } of believed(facts)) {
    const departmentId = employed ? terms.department_id : null;
    const last = stays.at(-1);
    if (departmentId === null) continue;
    if (last?.departmentId === departmentId && last.to === from) stays[stays.length - 1] = { ...last, to };
    else stays.push({ departmentId, from: from ?? EARLIEST_DATE, to });
  }
  return stays;
}

/** An employment without dates has no segments: its terms hold on every day. */
function undatedStay(facts: readonly Fact[]): readonly Stay[] {
  const first = periodsOf(facts)[0];
  const departmentId = facts.find(({ factId }) => factId === first?.startFactId)?.terms.department_id ?? null;
  if (first === undefined || first.start !== null || first.finalDay !== null || departmentId === null) return [];
  return [{ departmentId, from: EARLIEST_DATE, to: null }];
}

/** Whether a stay covers all of another one from this day on. */
function covers(one: Stay, other: Stay, day: LocalDate): boolean {
  const from = other.from < day ? day : other.from;
  return (
    one.departmentId === other.departmentId &&
    one.from <= from &&
    (one.to === null || (other.to !== null && other.to <= one.to))
  );
}
