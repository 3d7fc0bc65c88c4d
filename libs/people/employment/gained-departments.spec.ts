import { gainedDepartments } from './gained-departments.js';
import type { Fact } from './timeline.js';

const TODAY = '2026-06-01';

function fact(
  revision: number,
  action: Fact['action'],
  date: string | null,
  departmentId?: string | null,
  corrects: string | null = null,
): Fact {
  const terms = departmentId === undefined ? {} : { department_id: departmentId };
  return { factId: `f${revision}`, action, revision, date, terms, correctionReason: null, corrects };
}

const STARTED = fact(0, 'start', '2026-01-01', 'sales');
const MOVED = fact(1, 'change', '2026-03-01', 'support');

describe('a department is gained', () => {
  it('by a fact that names it for today or a later day', () => {
    expect(gainedDepartments([STARTED], [STARTED, fact(1, 'change', '2026-09-01', 'support')], TODAY)).toEqual([
      'support',
    ]);
    expect(gainedDepartments([], [STARTED], TODAY)).toEqual(['sales']);
  });

  it('by a correction that moves the fact which had ended it, and names nothing', () => {
    expect(
      gainedDepartments(
        [STARTED, MOVED],
        [STARTED, MOVED, fact(2, 'correction', '2026-09-01', 'support', 'f1')],
        TODAY,
      ),
    ).toEqual(['sales']);
    expect(
      gainedDepartments(
        [STARTED, MOVED],
        [STARTED, MOVED, fact(2, 'correction', '2026-03-01', undefined, 'f1')],
        TODAY,
      ),
    ).toEqual(['sales']);
  });

  it('by a later final day, also with an undated start', () => {
    const undated = [fact(0, 'start', null, 'sales'), fact(1, 'end', '2026-05-31')];
    expect(
      gainedDepartments(undated, [...undated, fact(2, 'correction', '2026-06-01', undefined, 'f1')], TODAY),
    ).toEqual(['sales']);
    const ended = [STARTED, fact(1, 'end', '2026-05-31')];
    expect(gainedDepartments(ended, [...ended, fact(2, 'correction', '2026-06-01', undefined, 'f1')], TODAY)).toEqual([
      'sales',
    ]);
  });
});

describe('no department is gained', () => {
  it('if the person was already in it on those days, also over several facts', () => {
    const retitled = { ...fact(1, 'change', '2026-07-01'), terms: { job_title: 'Lead' } };
    expect(gainedDepartments([STARTED, retitled], [STARTED], TODAY)).toEqual([]);
    expect(gainedDepartments([STARTED], [STARTED, retitled], TODAY)).toEqual([]);
    expect(gainedDepartments([STARTED], [STARTED, fact(1, 'end', '2026-09-30')], TODAY)).toEqual([]);
  });

  it('over days that are past', () => {
    const ended = [STARTED, fact(1, 'end', '2026-03-31')];
    expect(gainedDepartments(ended, [...ended, fact(2, 'correction', '2026-05-31', undefined, 'f1')], TODAY)).toEqual(
      [],
    );
    expect(gainedDepartments([fact(0, 'start', '2026-04-01', 'sales')], [STARTED], TODAY)).toEqual([]);
  });

  it('if an undated employment gets its first day', () => {
    const undated = fact(0, 'start', null, 'sales');
    expect(gainedDepartments([undated], [undated, fact(1, 'change', '2026-09-01')], TODAY)).toEqual([]);
  });
});
