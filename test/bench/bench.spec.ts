import { median } from './compare.js';
import { BENCHES, readOptions } from './options.js';
import { tableOf } from './table.js';

describe('the options of the benchmarks', () => {
  it('measure everything and write the report where nothing is said', () => {
    expect(readOptions([], 'report.md')).toMatchObject({ only: BENCHES, events: 1_000_000, people: 10_000, output: 'report.md' });
  });

  it('write no report of a quick or a partial run, unless told where', () => {
    expect(readOptions(['--quick'], 'report.md')).toMatchObject({ output: null });
    expect(readOptions(['--only', 'read,patch'], 'report.md')).toMatchObject({ only: ['read', 'patch'], output: null });
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

describe('the table', () => {
  it('has cells of one width in each column, so that a terminal shows it well', () => {
    const line = { what: 'Reads', product: '10/s', bare: '20/s', ratio: '0.50', goal: '≥ 0.8', isMet: false, remarks: '' };
    const rows = tableOf([line, { ...line, what: 'Something longer', isMet: null }]).split('\n');
    expect(new Set(rows.map((row) => row.length)).size).toBe(1);
    expect(rows[2]).toMatch(/^\| Reads +\| 10\/s +\| 20\/s \| 0\.50 {2}\| ≥ 0\.8 \| no {2}\|/);
  });
});
