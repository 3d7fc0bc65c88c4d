import {
  changedTerms,
  type Corrected,
  differsFrom,
  type Fact,
  filledTerms,
  kindOf,
  NO_TERMS,
  type Segment,
  sentTerms,
  termsOn,
} from './dated-terms.js';

const fact = (named: Partial<Fact> & Pick<Fact, 'fact_id' | 'action' | 'effective_from'>): Fact => ({
  correction_reason: null,
  corrects: null,
  corrected_by: null,
  recorded_at: '2026-01-01T00:00:00.000Z',
  timeline_version: 1,
  ...named,
});
const segment = (from: string, to: string | null, job_title: string | null, hours: number | null): Segment =>
  ({
    fact_id: 'f',
    effective_from: from,
    effective_to: to,
    employed: true,
    job_title,
    department: { id: 'u1', name: 'Sales' },
    manager: null,
    work_place: null,
    work_type: null,
    working_pattern: null,
    contracted_weekly_minutes: hours,
    full_time_weekly_minutes: null,
    fte: null,
    recorded_at: '2026-01-01T00:00:00.000Z',
    actor: { type: 'user', id: 'u' },
    correction_reason: null,
    corrects: null,
  }) as Segment;

const START = fact({ fact_id: 'start', action: 'start', effective_from: '2025-01-01', job_title: 'Clerk' });
const PROMOTION = fact({ fact_id: 'promotion', action: 'change', effective_from: '2026-01-01', job_title: 'Lead' });
const HOURS = fact({
  fact_id: 'hours',
  action: 'change',
  effective_from: '2026-01-15',
  contracted_weekly_minutes: 1_200,
});
const SEGMENTS = [
  segment('2025-01-01', '2026-01-01', 'Clerk', null),
  segment('2026-01-01', '2026-01-15', 'Lead', null),
  segment('2026-01-15', null, 'Lead', 1_200),
];
const promotion: Corrected = { fact: PROMOTION, kind: 'change' };

it('fills a form from the beliefs of its day, and none on a day without employment', () => {
  expect(termsOn(SEGMENTS, '2025-06-01')).toMatchObject({ job_title: 'Clerk', department_id: 'u1' });
  expect(termsOn(SEGMENTS, '2026-02-01')).toMatchObject({ job_title: 'Lead', contracted_weekly_minutes: 1_200 });
  expect(termsOn(SEGMENTS, '2024-12-31')).toEqual(NO_TERMS);
  expect(termsOn([{ ...SEGMENTS[0]!, employed: false }], '2025-06-01')).toEqual(NO_TERMS);
});

describe('a correction of terms from a day on', () => {
  it('sends what differs from the beliefs of that day, whatever day was shown when it was typed', () => {
    const shown = { ...filledTerms(SEGMENTS, '2025-06-01', null), job_title: 'Lead' };
    expect(sentTerms(SEGMENTS, '2025-06-01', null, shown)).toEqual({ job_title: 'Lead' });
    expect(sentTerms(SEGMENTS, '2026-02-01', null, { ...termsOn(SEGMENTS, '2026-02-01'), job_title: 'Lead' })).toEqual(
      {},
    );
  });
});

describe('a correction of a change', () => {
  it('that puts it off keeps its title, and records the title and the hours that the form shows', () => {
    const filled = filledTerms(SEGMENTS, '2026-02-01', promotion);
    expect(filled).toMatchObject({ job_title: 'Lead', contracted_weekly_minutes: 1_200 });
    const sent = sentTerms(SEGMENTS, '2026-02-01', promotion, { ...filled, contracted_weekly_minutes: 1_500 });
    expect(sent).toEqual({ job_title: 'Lead', contracted_weekly_minutes: 1_500 });
  });

  it('that only puts it off differs from it', () => {
    const filled = filledTerms(SEGMENTS, '2026-02-01', promotion);
    const sent = sentTerms(SEGMENTS, '2026-02-01', promotion, filled);
    expect([sent, differsFrom(promotion, '2026-02-01', sent)]).toEqual([{ job_title: 'Lead' }, true]);
    expect(differsFrom(promotion, '2026-01-01', sent)).toBe(false);
  });

  it('that brings it forward takes its title along', () => {
    const filled = filledTerms(SEGMENTS, '2025-12-01', promotion);
    expect(filled.job_title).toBe('Lead');
    expect(sentTerms(SEGMENTS, '2025-12-01', promotion, filled)).toEqual({ job_title: 'Lead' });
  });

  it('shows what a later correction of its day made of its terms', () => {
    const corrected = [SEGMENTS[0]!, segment('2026-01-01', null, 'Head', null)];
    expect(filledTerms(corrected, '2026-03-01', promotion).job_title).toBe('Head');
  });
});

describe('a correction of a start', () => {
  const start: Corrected = { fact: START, kind: 'start' };
  it('names all that it begins with: a start inherits nothing', () => {
    const filled = filledTerms(SEGMENTS, '2026-02-01', start);
    expect(sentTerms(SEGMENTS, '2026-02-01', start, filled)).toEqual({
      job_title: 'Lead',
      department_id: 'u1',
      contracted_weekly_minutes: 1_200,
    });
  });

  it('before the employment shows its own terms', () => {
    expect(filledTerms(SEGMENTS, '2024-12-01', start)).toEqual({ ...NO_TERMS, job_title: 'Clerk' });
  });

  it('names a term that was taken out', () => {
    const shown = { ...filledTerms(SEGMENTS, '2025-01-01', start), job_title: null };
    expect(sentTerms(SEGMENTS, '2025-01-01', start, shown)).toEqual({ job_title: null, department_id: 'u1' });
  });
});

it('a corrected end names no terms', () => {
  const end: Corrected = { fact: fact({ fact_id: 'end', action: 'end', effective_from: '2026-06-30' }), kind: 'end' };
  expect(sentTerms(SEGMENTS, '2026-07-31', end, filledTerms(SEGMENTS, '2026-07-31', end))).toEqual({});
  expect([differsFrom(end, '2026-07-31', {}), differsFrom(end, '2026-06-30', {})]).toEqual([true, false]);
});

it('a correction is of the kind of the first fact of its chain', () => {
  const once = fact({ fact_id: 'once', action: 'correction', effective_from: '2025-02-01', corrects: 'start' });
  const twice = fact({ fact_id: 'twice', action: 'correction', effective_from: '2025-03-01', corrects: 'once' });
  const alone = fact({ fact_id: 'alone', action: 'correction', effective_from: '2025-03-01' });
  expect([twice, once, START, HOURS, alone].map((one) => kindOf(one, [twice, once, START, HOURS, alone]))).toEqual([
    'start',
    'start',
    'start',
    'change',
    'change',
  ]);
});

it('only what differs is a change', () => {
  expect(changedTerms(NO_TERMS, { ...NO_TERMS, job_title: 'Clerk' })).toEqual({ job_title: 'Clerk' });
});
