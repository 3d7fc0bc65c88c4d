import { type EmploymentEvent, evolveEmployment, initialEmployment } from './employment.js';
import { believed, type Fact, fullTimeEquivalent, NO_TERMS, periodsOf, type Terms } from './timeline.js';

const started = (start_date: string | null, terms: Terms = {}): EmploymentEvent => ({
  type: 'EmploymentStarted',
  data: { fact_id: 'f0', start_date, terms },
});
const changed = (fact_id: string, start_date: string, terms: Terms = {}): EmploymentEvent => ({
  type: 'EmploymentChanged',
  data: { fact_id, start_date, terms },
});
const ended = (fact_id: string, end_date: string): EmploymentEvent => ({
  type: 'EmploymentEnded',
  data: { fact_id, end_date },
});
const rehired = (fact_id: string, start_date: string, terms: Terms = {}): EmploymentEvent => ({
  type: 'EmploymentReactivated',
  data: { fact_id, start_date, terms },
});
const corrected = (
  fact_id: string,
  start_date: string,
  corrects: string | null,
  terms: Terms = {},
): EmploymentEvent => ({
  type: 'EmploymentCorrected',
  data: { fact_id, start_date, terms, correction_reason: 'wrong letter', corrects },
});

function facts(...events: readonly EmploymentEvent[]): readonly Fact[] {
  return events.reduce(evolveEmployment, initialEmployment).facts;
}

/** Segments as one line each: from, to, fact and title, or that the person is not employed. */
function lines(...events: readonly EmploymentEvent[]): readonly string[] {
  return believed(facts(...events)).map(
    ({ validFrom, validTo, factId, employed, terms }) =>
      `${validFrom} ${validTo ?? '…'} ${factId} ${employed ? terms.job_title : '-'}`,
  );
}

describe('what is believed', () => {
  it('is nothing before anything is dated', () => {
    expect(lines()).toEqual([]);
    expect(lines(started(null, { job_title: 'A' }))).toEqual([]);
  });
  it('begins with the first dated fact where the start is not dated, with the terms of both', () => {
    expect(lines(started(null, { job_title: 'A' }), changed('f1', '2026-02-01', { department_id: 'd' }))).toEqual([
      '2026-02-01 … f1 A',
    ]);
  });
  it('carries forward what a fact does not name, and takes null as said', () => {
    const [, second, third] = believed(
      facts(
        started('2026-01-01', { job_title: 'A', department_id: 'd' }),
        changed('f1', '2026-02-01', { job_title: 'B' }),
        changed('f2', '2026-03-01', { department_id: null }),
      ),
    );
    expect(second!.terms).toEqual({ ...NO_TERMS, job_title: 'B', department_id: 'd' });
    expect(third!.terms).toEqual({ ...NO_TERMS, job_title: 'B' });
  });
  it('lets later dated facts keep what they set', () => {
    expect(
      lines(
        started('2026-01-01', { job_title: 'A' }),
        changed('f1', '2026-03-01', { job_title: 'C' }),
        changed('f2', '2026-02-01', { job_title: 'B' }),
      ),
    ).toEqual(['2026-01-01 2026-02-01 f0 A', '2026-02-01 2026-03-01 f2 B', '2026-03-01 … f1 C']);
  });
  it('takes of two facts of one day the later recorded one, and what the first named besides', () => {
    const [only] = believed(
      facts(
        started('2026-01-01', { job_title: 'A' }),
        changed('f1', '2026-01-01', { job_title: 'B', department_id: 'd' }),
        changed('f2', '2026-01-01', { job_title: 'C' }),
      ),
    );
    expect(only).toMatchObject({ factId: 'f2', terms: { job_title: 'C', department_id: 'd' } });
  });
  it('ends the day after the inclusive final day, and is a gap from then on', () => {
    expect(lines(started('2026-01-01', { job_title: 'A' }), ended('f1', '2026-01-31'))).toEqual([
      '2026-01-01 2026-02-01 f0 A',
      '2026-02-01 … f1 -',
    ]);
  });
  it('is a single day where the first day is the final one', () => {
    expect(lines(started('2026-01-01', { job_title: 'A' }), ended('f1', '2026-01-01'))).toEqual([
      '2026-01-01 2026-01-02 f0 A',
      '2026-01-02 … f1 -',
    ]);
  });
  it('keeps a period that has ended and whose start nobody dated: it lies before its final day', () => {
    const given = [started(null, { job_title: 'A' }), ended('f1', '2026-01-31')];
    expect(lines(...given)).toEqual(['null 2026-02-01 f0 A', '2026-02-01 … f1 -']);
    expect(lines(...given, rehired('f2', '2026-03-01', { job_title: 'B' }))).toEqual([
      'null 2026-02-01 f0 A',
      '2026-02-01 2026-03-01 f1 -',
      '2026-03-01 … f2 B',
    ]);
  });
  it('begins such a period with the first dated fact where one comes, and not otherwise', () => {
    const given = [started(null, { job_title: 'A' }), ended('f1', '2026-01-31'), rehired('f2', '2026-03-01')];
    expect(lines(...given, corrected('f3', '2026-01-10', null, { job_title: 'B' }))).toEqual([
      '2026-01-10 2026-02-01 f3 B',
      '2026-02-01 2026-03-01 f1 -',
      '2026-03-01 … f2 null',
    ]);
    expect(lines(...given, corrected('f3', '2026-03-10', null, { job_title: 'B' }))[0]).toBe('null 2026-02-01 f0 A');
    expect(lines(...given, corrected('f3', '2025-12-01', 'f0', { job_title: 'C' }))[0]).toBe(
      '2025-12-01 2026-02-01 f3 C',
    );
  });
  it('inherits nothing through a rehire', () => {
    expect(
      lines(started('2026-01-01', { job_title: 'A' }), ended('f1', '2026-01-31'), rehired('f2', '2026-03-01')),
    ).toEqual(['2026-01-01 2026-02-01 f0 A', '2026-02-01 2026-03-01 f1 -', '2026-03-01 … f2 null']);
  });
  it('has no gap where the rehire is on the day after the final day', () => {
    expect(
      lines(
        started('2026-01-01', { job_title: 'A' }),
        ended('f1', '2026-01-31'),
        rehired('f2', '2026-02-01', { job_title: 'B' }),
      ),
    ).toEqual(['2026-01-01 2026-02-01 f0 A', '2026-02-01 … f2 B']);
  });
  it('never takes in a fact past the final day, also when a rehire covers its date', () => {
    const given = [
      started('2026-01-01', { job_title: 'A' }),
      changed('f1', '2026-06-01', { job_title: 'Never' }),
      ended('f2', '2026-01-31'),
    ];
    expect(lines(...given)).toEqual(['2026-01-01 2026-02-01 f0 A', '2026-02-01 … f2 -']);
    expect(lines(...given, rehired('f3', '2026-03-01', { job_title: 'B' }))).toEqual([
      '2026-01-01 2026-02-01 f0 A',
      '2026-02-01 2026-03-01 f2 -',
      '2026-03-01 … f3 B',
    ]);
  });
  it('takes such a fact in again where a corrected end reaches it', () => {
    const given = [
      started('2026-01-01', { job_title: 'A' }),
      changed('f1', '2026-02-10', { job_title: 'B' }),
      ended('f2', '2026-01-31'),
      corrected('f3', '2026-02-28', 'f2'),
    ];
    expect(lines(...given)).toEqual(['2026-01-01 2026-02-10 f0 A', '2026-02-10 2026-03-01 f1 B', '2026-03-01 … f3 -']);
  });
  it('ranks a corrected start behind the changes of its day that were recorded before', () => {
    const given = [
      started('2026-01-01', { job_title: 'A' }),
      changed('f1', '2026-01-10', { job_title: 'B', department_id: 'd' }),
    ];
    const [only] = believed(facts(...given, corrected('f2', '2026-01-10', 'f0', { job_title: 'C' })));
    expect(only).toMatchObject({
      validFrom: '2026-01-10',
      factId: 'f2',
      terms: { job_title: 'C', department_id: 'd' },
    });
  });
  it('replaces a corrected fact wholly, and ranks the correction by its own place', () => {
    const given = [
      started('2026-01-01', { job_title: 'A' }),
      changed('f1', '2026-02-01', { job_title: 'B', department_id: 'd' }),
      changed('f2', '2026-02-01', { job_title: 'C' }),
    ];
    const corrections = believed(facts(...given, corrected('f3', '2026-02-01', 'f1', { job_title: 'D' })));
    expect(corrections.at(-1)).toMatchObject({ factId: 'f3', terms: { job_title: 'D', department_id: null } });
  });
  it('moves the period with a corrected start, and puts facts before it out of force', () => {
    expect(
      lines(
        started('2026-01-01', { job_title: 'A' }),
        changed('f1', '2026-01-10', { job_title: 'B' }),
        corrected('f2', '2026-02-01', 'f0', { job_title: 'C' }),
      ),
    ).toEqual(['2026-02-01 … f2 C']);
  });
  it('follows a chain of corrections to its last', () => {
    const given = [
      started('2026-01-01', { job_title: 'A' }),
      corrected('f1', '2026-02-01', 'f0', { job_title: 'B' }),
      corrected('f2', '2025-12-01', 'f1', { job_title: 'C' }),
    ];
    expect(lines(...given)).toEqual(['2025-12-01 … f2 C']);
  });
});

describe('periods', () => {
  it('tell their start, final day and facts', () => {
    const periods = periodsOf(facts(started('2026-01-01'), ended('f1', '2026-01-31'), rehired('f2', '2026-03-01')));
    expect(periods).toMatchObject([
      { start: '2026-01-01', startIsKnown: true, startFactId: 'f0', finalDay: '2026-01-31', endFactId: 'f1' },
      { start: '2026-03-01', startFactId: 'f2', finalDay: null, endFactId: null },
    ]);
  });
  it('take the start of an undated one from the first change that is not past its final day', () => {
    const given = [
      started(null),
      changed('f1', '2026-02-01'),
      corrected('f2', '2026-01-15', null),
      ended('f3', '2026-02-15'),
    ];
    expect(periodsOf(facts(...given))).toMatchObject([
      { start: '2026-01-15', startIsKnown: false, finalDay: '2026-02-15' },
    ]);
  });
});

describe('the full-time equivalent', () => {
  it.each([
    [1_125, 2_250, 0.5],
    [750, 2_250, 0.3333],
    [1_500, 2_250, 0.6667],
    [0, 2_250, 0],
    [2_500, 2_250, 1.1111],
    [null, 2_250, null],
    [2_250, null, null],
  ])('of %p in %p minutes is %p', (contracted, fullTime, expected) => {
    expect(
      fullTimeEquivalent({ ...NO_TERMS, contracted_weekly_minutes: contracted, full_time_weekly_minutes: fullTime }),
    ).toBe(expected);
  });
});
