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

/** The changes of the timeline after `before` by recording `then`, one line each. */
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

describe('the changes between two recorded times', () => {
  it('are none if nothing was recorded, or nothing differs', () => {
    expect(changes([ADA], [])).toEqual([]);
    expect(changes([ADA], [changed('f1', '2026-02-01', { job_title: 'A' })])).toEqual([]);
  });
  it('are all terms of the first fact, before which the person was not employed', () => {
    expect(changes([], [ADA])).toEqual([
      '2026-01-01 … employed false > true by f0',
      '2026-01-01 … job_title null > A by f0',
    ]);
  });
  it('name the fact that changed it', () => {
    expect(changes([ADA], [changed('f1', '2026-02-01', { job_title: 'B' })])).toEqual([
      '2026-02-01 … job_title A > B by f1',
    ]);
  });
  it('are one interval while before and after are constant, with the fact of its beginning', () => {
    const then = [changed('f1', '2026-02-01', { job_title: 'B' }), changed('f2', '2026-03-01', { department_id: 'd' })];
    expect(changes([ADA], then)).toEqual([
      '2026-02-01 … job_title A > B by f1',
      '2026-03-01 … department_id null > d by f2',
    ]);
  });
  it('end where both timelines agree again', () => {
    const before = [ADA, changed('f1', '2026-03-01', { job_title: 'C' })];
    expect(changes(before, [changed('f2', '2026-02-01', { job_title: 'B' })])).toEqual([
      '2026-02-01 2026-03-01 job_title A > B by f2',
    ]);
  });
  it('name the correction where the replaced fact no longer applies', () => {
    const before = [ADA, changed('f1', '2026-02-01', { job_title: 'B' })];
    expect(changes(before, [corrected('f2', '2026-03-01', 'f1', { job_title: 'B' })])).toEqual([
      '2026-02-01 2026-03-01 job_title B > A by f2',
    ]);
  });
  it('name the correction of a start for the days that it removed', () => {
    expect(changes([ADA], [corrected('f1', '2026-02-01', 'f0', { job_title: 'A' })])).toEqual([
      '2026-01-01 2026-02-01 employed true > false by f1',
      '2026-01-01 2026-02-01 job_title A > null by f1',
    ]);
  });
  it('contain an end as no longer employed and without terms', () => {
    expect(changes([ADA], [ended('f1', '2026-01-31')])).toEqual([
      '2026-02-01 … employed true > false by f1',
      '2026-02-01 … job_title A > null by f1',
    ]);
  });
});
