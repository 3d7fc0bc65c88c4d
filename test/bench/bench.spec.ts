import { IdMint } from '#identifiers/id-mint.js';
import { evolveCalendar, initialCalendar, type TimeOffEvent } from '#resources/time-off/records/time-off.decider.js';
import { clash } from '#resources/time-off/records/time-off.rules.js';
import { median, percentile } from './compare.js';
import { BENCHES, readOptions } from './options.js';
import { tableOf } from './table.js';
import { makeTimeOff, workingDaysFrom } from './time-off-history.js';

describe('the options of the benchmarks', () => {
  it('measure everything and write the report where nothing is said', () => {
    expect(readOptions([], 'report.md')).toMatchObject({ only: BENCHES, events: 1_000_000, people: 10_000, output: 'report.md' });
  });

  it('write no report of a quick or a partial run, unless told where', () => {
    expect(readOptions(['--quick'], 'report.md')).toMatchObject({ output: null });
    expect(readOptions(['--only', 'read,patch'], 'report.md')).toMatchObject({ only: ['read', 'patch'], output: null });
    expect(readOptions(['--only', 'webhooks'], 'report.md')).toMatchObject({ only: ['webhooks'], output: null });
    expect(readOptions(['--quick', '--output', 'quick.md'], 'report.md')).toMatchObject({ output: 'quick.md' });
  });

  it('refuse what is no bench and what is no number above 0', () => {
    expect(() => readOptions(['--only', 'reads'], 'report.md')).toThrow('--only takes read, list');
    expect(() => readOptions(['--rounds', '0'], 'report.md')).toThrow('--rounds takes a number above 0');
    expect(() => readOptions(['--people', 'many'], 'report.md')).toThrow('--people takes a number above 0');
  });
});

describe('the median', () => {
  it('is the middle of an odd and the mean of the two middles of an even number of values', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 9, 6])).toBe(5);
  });
});

describe('a percentile', () => {
  it('is the least number that so many do not exceed, in whatever order they come', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => ((index * 37) % 100) + 1);
    expect([percentile(hundred, 0.5), percentile(hundred, 0.99), percentile(hundred, 1)]).toEqual([50, 99, 100]);
    expect([percentile([7], 0), percentile([7], 0.99), percentile([], 0.5)]).toEqual([7, 7, 0]);
  });
});

describe('the table', () => {
  it('has cells of one width in each column, so that a terminal shows it well', () => {
    const line = { what: 'Reads', product: '10/s', bare: '20/s', ratio: '0.50', goal: '≥ 0.8', isMet: false, remarks: '' };
    const rows = tableOf([line, { ...line, what: 'Something longer', isMet: null }]).split('\n');
    expect(new Set(rows.map((row) => row.length)).size).toBe(1);
    expect(rows[2]).toMatch(/^\| Reads +\| 10\/s +\| 20\/s \| 0\.50 {2}\| ≥ 0\.8 \| no {2}\|/);
  });
});

describe('made-up time off', () => {
  const surroundings = { organisationId: 'org_bench', keyId: 'key', departmentIds: [], workPlaceIds: [], workTypeIds: [] };
  const calendarOf = (index: number) =>
    makeTimeOff(
      new IdMint(Buffer.alloc(32, 1)),
      surroundings,
      { annualLeaveId: 'annual', sickLeaveId: 'sick' },
      { personId: `person-${index}`, index, firstDay: '2024-09-02' },
    )
      .map(({ event }) => ({ type: event.type, data: event.data }) as unknown as TimeOffEvent)
      .reduce(evolveCalendar, initialCalendar);

  it('is some twenty records a person, none of which overlaps another one', () => {
    for (const index of Array.from({ length: 50 }, (_, number) => number)) {
      const records = [...calendarOf(index).records.values()];
      expect(records.length).toBeGreaterThan(16);
      records.forEach((record, place) => expect(records.slice(place + 1).filter((other) => clash(record, other))).toEqual([]));
    }
  });

  it('takes working days only for new records', () => {
    expect(workingDaysFrom('2026-12-24', 4)).toEqual(['2026-12-24', '2026-12-29', '2026-12-30', '2026-12-31']);
  });
});
