import { changed, corrected, ended, started } from '../../../test/support/people/employment-events.js';
import { type EmploymentEvent, evolveEmployment, initialEmployment } from './employment.js';
import { type ComparedSegment, compareTimelines, type RecordedBetween } from './compare-timelines.js';
import { believed } from './timeline.js';

function segments(events: readonly EmploymentEvent[]): readonly ComparedSegment[] {
  return believed(events.reduce(evolveEmployment, initialEmployment).facts).map(
    ({ validFrom, validTo, employed, factId, terms }) => ({
      ...terms,
      valid_from: validFrom,
      valid_to: validTo,
      employed,
      fact_id: factId,
      recorded_at: new Date(0),
    }),
  );
}

/** The changes from recording `then` after `before`, one line each. */
function changes(before: readonly EmploymentEvent[], then: readonly EmploymentEvent[]): readonly string[] {
  const between = then.map((event): RecordedBetween => ({
    fact_id: event.data.fact_id,
    corrects: event.type === 'EmploymentCorrected' ? event.data.corrects : null,
    recorded_at: new Date(0),
  }));
  return compareTimelines(segments(before), segments([...before, ...then]), between).map(
    (change) =>
      `${change.from} ${change.to ?? '…'} ${change.field} ${change.before} > ${change.after} by ${change.factId}`,
  );
}

const ADA = started('2026-01-01', { job_title: 'A' });

describe('what changed between two moments of knowledge', () => {
  it('is nothing where nothing was recorded, or nothing differs', () => {
    expect(changes([ADA], [])).toEqual([]);
    expect(changes([ADA], [changed('f1', '2026-02-01', { job_title: 'A' })])).toEqual([]);
  });
  it('is everything that the first fact says, before which nobody was employed', () => {
    expect(changes([], [ADA])).toEqual([
      '2026-01-01 … employed false > true by f0',
      '2026-01-01 … job_title null > A by f0',
    ]);
  });
  it('names the fact that changed it', () => {
    expect(changes([ADA], [changed('f1', '2026-02-01', { job_title: 'B' })])).toEqual([
      '2026-02-01 … job_title A > B by f1',
    ]);
  });
  it('is one interval as long as before and after are the same, by the fact that it begins with', () => {
    const then = [changed('f1', '2026-02-01', { job_title: 'B' }), changed('f2', '2026-03-01', { department_id: 'd' })];
    expect(changes([ADA], then)).toEqual([
      '2026-02-01 … job_title A > B by f1',
      '2026-03-01 … department_id null > d by f2',
    ]);
  });
  it('ends where the two agree again', () => {
    const before = [ADA, changed('f1', '2026-03-01', { job_title: 'C' })];
    expect(changes(before, [changed('f2', '2026-02-01', { job_title: 'B' })])).toEqual([
      '2026-02-01 2026-03-01 job_title A > B by f2',
    ]);
  });
  it('names the correction where the fact that it replaced no longer holds', () => {
    const before = [ADA, changed('f1', '2026-02-01', { job_title: 'B' })];
    expect(changes(before, [corrected('f2', '2026-03-01', 'f1', { job_title: 'B' })])).toEqual([
      '2026-02-01 2026-03-01 job_title B > A by f2',
    ]);
  });
  it('names the correction of a start over the days that it took away', () => {
    expect(changes([ADA], [corrected('f1', '2026-02-01', 'f0', { job_title: 'A' })])).toEqual([
      '2026-01-01 2026-02-01 employed true > false by f1',
      '2026-01-01 2026-02-01 job_title A > null by f1',
    ]);
  });
  it('has an end as no longer employed, and the terms gone', () => {
    expect(changes([ADA], [ended('f1', '2026-01-31')])).toEqual([
      '2026-02-01 … employed true > false by f1',
      '2026-02-01 … job_title A > null by f1',
    ]);
  });
});
