import type { Fact } from '../employment/timeline.js';
import { RecordedFacts } from './recorded-facts.js';

function factsOf(...some: readonly Partial<Fact>[]): readonly Fact[] {
  return some.map((fact, revision) => ({
    factId: `ef_${revision}`,
    action: 'change',
    date: '2020-01-01',
    terms: {},
    correctionReason: null,
    corrects: null,
    revision,
    ...fact,
  }));
}

const START: Partial<Fact> = {
  action: 'start',
  date: '2020-01-01',
  terms: { job_title: 'Engineer', department_id: 'd' },
};

describe('recorded facts', () => {
  it('stand for one row each', () => {
    const recorded = new RecordedFacts(
      factsOf(
        START,
        { date: '2021-01-01', terms: { job_title: 'A' } },
        { date: '2021-01-01', terms: { job_title: 'A' } },
      ),
    );
    expect([1, 2, 3].map(() => recorded.takeChange('2021-01-01', { job_title: 'A' }))).toEqual([true, true, false]);
  });

  it('are recognised by day and terms: neither more terms nor fewer, nor other values', () => {
    const recorded = new RecordedFacts(
      factsOf(START, { date: '2021-01-01', terms: { job_title: 'A', manager_id: null } }),
    );
    expect(recorded.takeChange('2021-01-01', { job_title: 'A' })).toBe(false);
    expect(recorded.takeChange('2021-01-02', { job_title: 'A', manager_id: null })).toBe(false);
    expect(recorded.takeChange('2021-01-01', { job_title: 'A', manager_id: null })).toBe(true);
  });

  it('let each term of a first fact stand for one row of that day', () => {
    const recorded = new RecordedFacts(factsOf(START));
    expect(recorded.takeChange('2020-01-01', { job_title: 'Engineer' })).toBe(true);
    expect(recorded.takeChange('2020-01-01', { department_id: 'd' })).toBe(true);
    expect(recorded.takeChange('2020-01-01', { job_title: 'Engineer' })).toBe(false);
  });

  it('are recognised when they were corrected since', () => {
    const recorded = new RecordedFacts(
      factsOf(
        START,
        { action: 'end', date: '2022-01-31' },
        { action: 'correction', date: '2022-02-28', corrects: 'ef_1', correctionReason: 'a typing mistake' },
      ),
    );
    expect([recorded.takeEnd('2022-01-31'), recorded.takeEnd('2022-02-28'), recorded.takeEnd('2022-02-28')]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
