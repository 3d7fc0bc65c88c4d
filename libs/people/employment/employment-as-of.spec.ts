import { changed, ended, rehired, started } from '../../../test/support/people/employment-events.js';
import { type EmploymentEvent, evolveEmployment, initialEmployment } from './employment.js';
import { nextChangeAfter, employmentAsOf, unchangedSince } from './employment-as-of.js';
import { type Fact, NO_TERMS } from './timeline.js';

function facts(...events: readonly EmploymentEvent[]): readonly Fact[] {
  return events.reduce(evolveEmployment, initialEmployment).facts;
}

describe('a record', () => {
  const rehire = facts(
    started('2026-01-01', { job_title: 'A' }),
    changed('f1', '2026-01-15', { job_title: 'B' }),
    ended('f2', '2026-01-31'),
    rehired('f3', '2026-03-01', { job_title: 'C' }),
  );

  it('has the first terms before the start', () => {
    expect(employmentAsOf(rehire, '2025-06-01')).toMatchObject({
      factId: 'f0',
      latest: { finalDay: null },
      effectiveFrom: '2026-01-01',
      effectiveTo: '2026-01-15',
    });
  });
  it('has the last terms in force after the end', () => {
    const given = facts(
      started('2026-01-01', { job_title: 'A' }),
      changed('f1', '2026-01-15', { job_title: 'B' }),
      ended('f2', '2026-01-31'),
    );
    expect(employmentAsOf(given, '2027-01-01')).toMatchObject({
      factId: 'f1',
      latest: { finalDay: '2026-01-31' },
      terms: { job_title: 'B' },
      effectiveTo: '2026-02-01',
    });
  });
  it('is ended once an end is recorded, whatever the day', () => {
    expect(employmentAsOf(facts(started('2026-01-01'), ended('f1', '2026-12-31')), '2026-02-01')).toMatchObject({
      latest: { finalDay: '2026-12-31' },
    });
  });
  it('shows the coming period from the day after the final day', () => {
    expect(employmentAsOf(rehire, '2026-01-31')).toMatchObject({ factId: 'f1' });
    expect(employmentAsOf(rehire, '2026-02-01')).toMatchObject({ factId: 'f3', period: { start: '2026-03-01' } });
  });
  it('names the period recorded last while the previous one continues', () => {
    expect(employmentAsOf(rehire, '2026-01-20')).toMatchObject({
      factId: 'f1',
      period: { start: '2026-01-01', finalDay: '2026-01-31' },
      latest: { start: '2026-03-01', finalDay: null },
    });
  });
  it('has the terms of an undated start', () => {
    expect(employmentAsOf(facts(started(null, { job_title: 'A' })), '2026-01-01')).toMatchObject({
      factId: 'f0',
      terms: { ...NO_TERMS, job_title: 'A' },
      effectiveFrom: null,
      effectiveTo: null,
    });
  });
  it('is null without facts', () => expect(employmentAsOf([], '2026-01-01')).toBeNull());
  it('changes next on the day of other terms, and on those on which employment begins or has ended', () => {
    expect(nextChangeAfter(rehire, '2025-01-01')).toBe('2026-01-01');
    expect(nextChangeAfter(rehire, '2026-01-01')).toBe('2026-01-15');
    expect(nextChangeAfter(rehire, '2026-01-15')).toBe('2026-02-01');
    expect(nextChangeAfter(rehire, '2026-02-01')).toBe('2026-03-01');
    expect(nextChangeAfter(rehire, '2026-03-01')).toBeNull();
    const leaver = facts(started('2026-01-01'), ended('f1', '2026-12-31'));
    expect([nextChangeAfter(leaver, '2026-06-01'), nextChangeAfter(leaver, '2027-01-01')]).toEqual([
      '2027-01-01',
      null,
    ]);
    expect([
      employmentAsOf(leaver, '2026-12-31')!.isEmployed,
      employmentAsOf(leaver, '2027-01-01')!.isEmployed,
    ]).toEqual([true, false]);
    expect(nextChangeAfter([], '2026-02-01')).toBeNull();
  });
  it('has been unchanged since the last such day', () => {
    expect(
      ['2025-01-01', '2026-01-14', '2026-01-15', '2026-01-31', '2026-02-01', '2027-01-01'].map((day) =>
        unchangedSince(rehire, day),
      ),
    ).toEqual([null, '2026-01-01', '2026-01-15', '2026-01-15', '2026-02-01', '2026-03-01']);
    expect([
      unchangedSince([], '2026-02-01'),
      unchangedSince(facts(started(null)), '2026-02-01'),
      unchangedSince(facts(started(null), ended('f1', '2026-01-31')), '2026-02-01'),
    ]).toEqual([null, null, '2026-02-01']);
  });
});
