import type { LocalDate } from '#kernel/dates.js';
import { asText } from '#csv-import/as-text.js';
import type { ImportChange, ImportReport } from '#csv-import/import-report.js';
import {
  type Fact,
  NO_TERMS,
  type Terms,
  TERM_NAMES,
  timelineOf,
  type CompleteTerms,
  withTerms,
} from '../employment/timeline.js';
import { findReferences, nameOfTerm, type Names } from '../record/references.js';
import type { Identity } from '../person/person.js';
import type { ImportSettings } from './import-settings.js';
import { columnOf } from './rejection-columns.js';

/** A change of an employment by a row: a term, or the first or the final day. */
export interface EmploymentChange {
  readonly field: keyof Terms | 'start_date' | 'end_date';
  readonly before: string | number | null;
  readonly after: string | number | null;
  readonly effectiveDate: LocalDate | null;
}

/** The terms of the facts, without absent ones. */
export function namesOf(terms: Terms): readonly (keyof CompleteTerms)[] {
  return TERM_NAMES.filter((name) => terms[name] !== undefined);
}

/**
 * The terms in force on a day; if the person is not employed on it, the last ones before it, otherwise the
 * first ones.
 */
function termsOn(facts: readonly Fact[], day: LocalDate): CompleteTerms {
  const employed = timelineOf(facts).segments.filter((segment) => segment.employed);
  const segment = employed.findLast(({ validFrom }) => validFrom === null || validFrom <= day) ?? employed[0];
  // A start without a date has no place on the time axis until a later fact adds a day.
  return segment?.terms ?? withTerms(NO_TERMS, facts[0]?.terms ?? {});
}

/** The differences between these terms and those in force on the day. */
export function changesOn(facts: readonly Fact[], day: LocalDate, terms: Terms): readonly EmploymentChange[] {
  const before = termsOn(facts, day);
  return namesOf(terms)
    .filter((name) => before[name] !== terms[name])
    .map((name) => ({ field: name, before: before[name], after: terms[name] ?? null, effectiveDate: day }));
}

/** The changes of one row of a file. */
export interface ChangesOfRow {
  readonly line: number;
  /** The e-mail address or staff_id of the person. */
  readonly subject: string;
  /** Changes of the identity, which has no history. */
  readonly identity?: Identity;
  readonly identityBefore?: Identity;
  readonly employment: readonly EmploymentChange[];
  /** The name of a referenced resource that is not recorded yet. */
  readonly named: (column: string) => string | undefined;
}

/** Adds the changes of rows to a report, with the names of their references: one query for all rows. */
export async function reportChanges(
  { services, context }: ImportSettings,
  report: ImportReport,
  rows: readonly ChangesOfRow[],
): Promise<void> {
  const terms = rows.flatMap(({ employment }) =>
    employment.flatMap(({ field, before, after }): Terms[] => [{ [field]: before }, { [field]: after }]),
  );
  const names = await findReferences(services.executor, context.organisationId, terms);
  for (const row of rows) report.describe([...identityChanges(row), ...employmentChanges(row, names)]);
}

function identityChanges({ line, subject, identity = {}, identityBefore = {} }: ChangesOfRow): readonly ImportChange[] {
  return (Object.keys(identity) as (keyof Identity)[]).map((field) => ({
    line,
    subject,
    field,
    before: identityBefore[field] ?? null,
    after: identity[field] ?? null,
    effective_date: null,
  }));
}

function employmentChanges({ line, subject, employment, named }: ChangesOfRow, names: Names): readonly ImportChange[] {
  const show = (field: string, value: string | number | null): string | null =>
    typeof value === 'string' ? (nameOfTerm(names, field, value) ?? value) : asText(value);
  return employment.map(({ field, before, after, effectiveDate }) => ({
    line,
    subject,
    field: columnOf(field, field),
    before: show(field, before),
    after: named(columnOf(field, field)) ?? show(field, after),
    effective_date: effectiveDate,
  }));
}
