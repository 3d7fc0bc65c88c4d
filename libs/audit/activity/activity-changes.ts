import { categoryOf, type RecordedEvent } from '#event-store/event-store.js';
import { dayAfter, type LocalDate } from '#kernel/dates.js';
import type { Stream } from '#projections/projection.js';
import { fieldsOf, itemOf, type Opening, SECRET } from '../report/report-fields.js';
import { type EmploymentEvent, factOf } from '#people/employment/employment.js';
import { believed, type Fact, kindOf } from '#people/employment/timeline.js';

/** A field that an event changed, with its values as text; null for an absent value. */
export interface FieldChange {
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

/** The fields that the event of a revision changed. */
export type ChangesAt = (revision: number) => readonly FieldChange[];

/**
 * The fields that each event of a stream changed. Terms of an employment are those in force on the event's
 * effective date, as known before and after it; all other values are the last recorded ones of the same
 * record. The stream is read once, for any number of events.
 */
export function changesIn(stream: Stream, opening: Opening): ChangesAt {
  const category = categoryOf(stream[0]!.stream);
  return category === 'employment' ? employmentChanges(stream) : namedChanges(category, stream, opening);
}

/** The effective date of an event; null if it has none. */
export function effectiveDateOf({ stream, data }: RecordedEvent): LocalDate | null {
  if (!DATED.has(categoryOf(stream))) return null;
  const named = data['start_date'] ?? data['end_date'] ?? data['effective_date'];
  return typeof named === 'string' ? named : null;
}

/** Default responses never contain notes (contract part 1): other operations return them on request. */
const NOTES: ReadonlySet<string> = new Set(['time-off note']);

/** Categories whose events have an effective date. */
const DATED: ReadonlySet<string> = new Set(['employment', 'employment-effect', 'time-off-balance', 'payroll-markers']);

function employmentChanges(stream: Stream): ChangesAt {
  const facts = stream.map((event, index) => factOf(event as unknown as EmploymentEvent, index));
  return (revision) => changesByLast(facts.slice(0, revision + 1));
}

function changesByLast(facts: readonly Fact[]): readonly FieldChange[] {
  const added = facts.at(-1)!;
  const day = firstDayOf(added, facts);
  const before = stateOn(facts.slice(0, -1), day);
  const after = day === null ? { employed: true, ...added.terms } : stateOn(facts, day);
  // A person who is not employed has no terms, so an end is a single change.
  const fields =
    after.employed === false ? ['employed'] : [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return fields.flatMap((field) => {
    const change = { field, before: textOf(before[field]), after: textOf(after[field]) };
    return change.before === change.after ? [] : [change];
  });
}

type State = { readonly employed?: boolean; readonly [field: string]: string | number | boolean | null | undefined };

/**
 * The first day that a fact changes: for an end, the day after the final one. Null for a start without a
 * date.
 */
function firstDayOf(fact: Fact, facts: readonly Fact[]): LocalDate | null {
  return fact.date !== null && kindOf(fact, facts) === 'end' ? dayAfter(fact.date) : fact.date;
}

function stateOn(facts: readonly Fact[], day: LocalDate | null): State {
  if (facts.length === 0 || day === null) return {};
  const segment = believed(facts).find(
    ({ validFrom, validTo }) => (validFrom === null || validFrom <= day) && (validTo === null || day < validTo),
  );
  return segment?.employed === true ? { employed: true, ...segment.terms } : { employed: false };
}

function namedChanges(category: string, stream: Stream, opening: Opening): ChangesAt {
  const last = new Map<unknown, Map<string, string>>();
  const changes = stream.map((event) => {
    const item = itemOf(event);
    const known = last.get(item) ?? new Map<string, string>();
    last.set(item, known);
    return fieldsOf(category, event, opening).flatMap(({ name, value }) => {
      const before = known.get(name);
      known.set(name, value);
      if (name === '' || value === SECRET || before === value || NOTES.has(`${category} ${name}`)) return [];
      return [{ field: name, before: textOf(before), after: textOf(value) }];
    });
  });
  return (revision) => changes[revision]!;
}

function textOf(value: State[string]): string | null {
  return value === undefined || value === null || value === '' ? null : String(value);
}
