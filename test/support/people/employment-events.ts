import type { EmploymentEvent } from '#people/employment/employment.js';
import type { Terms } from '#people/employment/timeline.js';

/** The start of an employment, as fact `f0`; without a date where that is null. */
export const started = (start_date: string | null, terms: Terms = {}): EmploymentEvent => ({
  type: 'EmploymentStarted',
  data: { fact_id: 'f0', start_date, terms },
});

/** A change of terms from a day on. */
export const changed = (fact_id: string, start_date: string, terms: Terms = {}): EmploymentEvent => ({
  type: 'EmploymentChanged',
  data: { fact_id, start_date, terms },
});

/** The end of an employment after its final day. */
export const ended = (fact_id: string, end_date: string): EmploymentEvent => ({
  type: 'EmploymentEnded',
  data: { fact_id, end_date },
});

/** A rehire from a day on. */
export const rehired = (fact_id: string, start_date: string, terms: Terms = {}): EmploymentEvent => ({
  type: 'EmploymentReactivated',
  data: { fact_id, start_date, terms },
});

/** A correction of a fact, or of terms from a day on where it names none. */
export const corrected = (
  fact_id: string,
  start_date: string,
  corrects: string | null,
  terms: Terms = {},
): EmploymentEvent => ({
  type: 'EmploymentCorrected',
  data: { fact_id, start_date, terms, correction_reason: 'wrong letter', corrects },
});

/** The withdrawal of a fact. */
export const withdrawn = (fact_id: string, corrects: string, effective_date = '2026-01-01'): EmploymentEvent => ({
  type: 'EmploymentFactWithdrawn',
  data: { fact_id, effective_date, correction_reason: 'never came', corrects },
});
