import { changed, corrected, ended, rehired, started } from '../../../test/support/people/employment-events.js';
import { type EmploymentEvent, evolveEmployment, initialEmployment } from './employment.js';
import { believed, type Fact, fullTimeEquivalent, NO_TERMS, periodsOf } from './timeline.js';

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

const A = started('2026-01-01', { job_title: 'A' });
const ENDED = ended('f1', '2026-01-31');
const UNDATED = [started(null, { job_title: 'A' }), ENDED];
const REHIRED = [...UNDATED, rehired('f2', '2026-03-01')];
const NEVER = [A, changed('f1', '2026-06-01', { job_title: 'Never' }), ended('f2', '2026-01-31')];

describe('what is believed', () => {
  it.each<[string, readonly EmploymentEvent[], readonly string[]]>([
    ['is empty before a fact is recorded', [], []],
    ['is empty before a fact has a date', [started(null, { job_title: 'A' })], []],
    [
      'begins with the first dated fact where the start is not dated, with the terms of both',
      [started(null, { job_title: 'A' }), changed('f1', '2026-02-01', { department_id: 'd' })],
      ['2026-02-01 … f1 A'],
    ],
    [
      'lets later dated facts keep what they set',
      [A, changed('f1', '2026-03-01', { job_title: 'C' }), changed('f2', '2026-02-01', { job_title: 'B' })],
      ['2026-01-01 2026-02-01 f0 A', '2026-02-01 2026-03-01 f2 B', '2026-03-01 … f1 C'],
    ],
    [
      'ends the day after the inclusive final day, and is a gap from then on',
      [A, ENDED],
      ['2026-01-01 2026-02-01 f0 A', '2026-02-01 … f1 -'],
    ],
    [
      'is a single day where the first day is the final one',
      [A, ended('f1', '2026-01-01')],
      ['2026-01-01 2026-01-02 f0 A', '2026-01-02 … f1 -'],
    ],
    [
      'keeps a period that has ended and whose start is not dated: it lies before its final day',
      UNDATED,
      ['null 2026-02-01 f0 A', '2026-02-01 … f1 -'],
    ],
    [
      'keeps it before a rehire',
      REHIRED,
      ['null 2026-02-01 f0 A', '2026-02-01 2026-03-01 f1 -', '2026-03-01 … f2 null'],
    ],
    [
      'begins such a period with the first dated fact where one comes',
      [...REHIRED, corrected('f3', '2026-01-10', null, { job_title: 'B' })],
      ['2026-01-10 2026-02-01 f3 B', '2026-02-01 2026-03-01 f1 -', '2026-03-01 … f2 null'],
    ],
    [
      'begins it with no fact of another period',
      [...REHIRED, corrected('f3', '2026-03-10', null, { job_title: 'B' })],
      ['null 2026-02-01 f0 A', '2026-02-01 2026-03-01 f1 -', '2026-03-01 2026-03-10 f2 null', '2026-03-10 … f3 B'],
    ],
    [
      'begins it with a corrected start',
      [...REHIRED, corrected('f3', '2025-12-01', 'f0', { job_title: 'C' })],
      ['2025-12-01 2026-02-01 f3 C', '2026-02-01 2026-03-01 f1 -', '2026-03-01 … f2 null'],
    ],
    [
      'inherits nothing through a rehire',
      [A, ENDED, rehired('f2', '2026-03-01')],
      ['2026-01-01 2026-02-01 f0 A', '2026-02-01 2026-03-01 f1 -', '2026-03-01 … f2 null'],
    ],
    [
      'has no gap where the rehire is on the day after the final day',
      [A, ENDED, rehired('f2', '2026-02-01', { job_title: 'B' })],
      ['2026-01-01 2026-02-01 f0 A', '2026-02-01 … f2 B'],
    ],
    ['never takes in a fact past the final day', NEVER, ['2026-01-01 2026-02-01 f0 A', '2026-02-01 … f2 -']],
    [
      'never takes it in when a rehire covers its date',
      [...NEVER, rehired('f3', '2026-03-01', { job_title: 'B' })],
      ['2026-01-01 2026-02-01 f0 A', '2026-02-01 2026-03-01 f2 -', '2026-03-01 … f3 B'],
    ],
    [
      'takes it in again where a corrected end reaches it',
      [...NEVER, corrected('f3', '2026-06-30', 'f2')],
      ['2026-01-01 2026-06-01 f0 A', '2026-06-01 2026-07-01 f1 Never', '2026-07-01 … f3 -'],
    ],
    [
      'moves the period with a corrected start, and puts facts before it out of force',
      [A, changed('f1', '2026-01-10', { job_title: 'B' }), corrected('f2', '2026-02-01', 'f0', { job_title: 'C' })],
      ['2026-02-01 … f2 C'],
    ],
    [
      'follows a chain of corrections to its last',
      [A, corrected('f1', '2026-02-01', 'f0'), corrected('f2', '2025-12-01', 'f1', { job_title: 'C' })],
      ['2025-12-01 … f2 C'],
    ],
  ])('%s', (_, events, expected) => expect(lines(...events)).toEqual(expected));

  it('carries forward what a fact does not name, and takes null as said', () => {
    const start = started('2026-01-01', { job_title: 'A', department_id: 'd' });
    const changes = [
      changed('f1', '2026-02-01', { job_title: 'B' }),
      changed('f2', '2026-03-01', { department_id: null }),
    ];
    const [, second, third] = believed(facts(start, ...changes));
    expect(second!.terms).toEqual({ ...NO_TERMS, job_title: 'B', department_id: 'd' });
    expect(third!.terms).toEqual({ ...NO_TERMS, job_title: 'B' });
  });

  const B = { job_title: 'B', department_id: 'd' };
  const [C, D] = [{ job_title: 'C' }, { job_title: 'D' }];
  it.each<[string, readonly EmploymentEvent[], object]>([
    [
      'of two facts of one day takes the later recorded one, and what the first named besides',
      [A, changed('f1', '2026-01-01', B), changed('f2', '2026-01-01', C)],
      { factId: 'f2', terms: { ...C, department_id: 'd' } },
    ],
    [
      'ranks a corrected start behind the changes of its day that were recorded before',
      [A, changed('f1', '2026-01-10', B), corrected('f2', '2026-01-10', 'f0', C)],
      { validFrom: '2026-01-10', factId: 'f2', terms: { ...C, department_id: 'd' } },
    ],
    [
      'replaces a corrected fact wholly, and ranks the correction by its own place',
      [A, changed('f1', '2026-02-01', B), changed('f2', '2026-02-01', C), corrected('f3', '2026-02-01', 'f1', D)],
      { factId: 'f3', terms: { ...D, department_id: null } },
    ],
  ])('%s', (_, events, last) => expect(believed(facts(...events)).at(-1)).toMatchObject(last));
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
