import { readFileSync } from 'node:fs';
import { IdMint } from '#identifiers/id-mint.js';
import { evolveCalendar, initialCalendar, type TimeOffEvent } from '#resources/time-off/records/time-off.decider.js';
import { clash } from '#resources/time-off/records/time-off.rules.js';
import { RequestWriter } from './children/requests.js';
import { insertsOf, insertStatementsOf } from './children/bare-statements.js';
import { parseStat, processorTimeOf, usedBetween } from './measure/processor-time.js';
import { median, percentile } from './measure/statistics.js';
import { BENCHES, readOptions } from './options.js';
import { tableIn, withTable } from './report/page.js';
import { type Line, middleOf, shortTableIn, tableOf } from './report/table.js';
import { makeTimeOff, workingDaysFrom } from './time-off-history.js';

describe('the options of the benchmarks', () => {
  it('measure everything and write the report where nothing is said', () => {
    expect(readOptions([], 'report.md')).toMatchObject({
      only: BENCHES,
      events: 1_000_000,
      people: 10_000,
      output: 'report.md',
      writesReadme: true,
    });
  });

  it('write no report of a quick or a partial run, unless told where', () => {
    expect(readOptions(['--quick'], 'report.md')).toMatchObject({ output: null, writesReadme: false });
    expect(readOptions(['--only', 'read,patch'], 'report.md')).toMatchObject({ only: ['read', 'patch'], output: null });
    expect(readOptions(['--only', 'webhooks'], 'report.md')).toMatchObject({ only: ['webhooks'], output: null });
    expect(readOptions(['--quick', '--output', 'quick.md'], 'report.md')).toMatchObject({ output: 'quick.md' });
  });

  it('refuse what is no bench and what is no number above 0', () => {
    expect(() => readOptions(['--only', 'reads'], 'report.md')).toThrow('--only takes read, list');
    expect(() => readOptions(['--rounds', '0'], 'report.md')).toThrow('--rounds takes a number above 0');
    expect(() => readOptions(['--people', 'many'], 'report.md')).toThrow('--people takes a number above 0');
    expect(() => readOptions(['--persons', '5'], 'report.md')).toThrow('--persons');
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

describe('processor time', () => {
  it('is read by fields after the name, which may hold blanks and brackets', () => {
    const line = '42 (odd) name) S 7 42 42 0 -1 4194560 900 0 0 0 150 50 20 5 20 0 1 0 100 0 0';
    expect(parseStat(line)).toEqual({ parent: 7, name: 'odd) name', endedChildren: 0.25 });
  });

  it('of this process grows with its work, and is the program’s, not that of PostgreSQL', () => {
    const before = processorTimeOf([process.pid]);
    while (processorTimeOf([process.pid]).program === before.program);
    expect(processorTimeOf([process.pid]).program).toBeGreaterThan(before.program);
    expect(() => processorTimeOf([2 ** 30])).toThrow('has ended');
  });

  it('leaves out what would have been used at rest, and is never negative', () => {
    const used = usedBetween({ program: 1, postgres: 2 }, { program: 3, postgres: 2.1 }, { program: 0.1, postgres: 0.1 }, 10);
    expect(used).toEqual({ program: 1, postgres: 0 });
  });
});

describe('the requests of the load generator', () => {
  const load = { url: 'http://127.0.0.1:1', apiKey: 'key', connections: 2 };

  it('name each person from one connection only, with the tag of the last answer and keys of their own', () => {
    const writer = new RequestWriter({ ...load, work: { kind: 'patches', paths: ['/a', '/b', '/c', '/d'] } });
    ['"a"', '"b"', '"c"', '"d"'].forEach((tag, target) => writer.keepTag(target, `HTTP/1.1 200 OK\r\nservice-resource-etag: ${tag}`));
    const first = [writer.next(0), writer.next(1), writer.next(0)];
    expect(first.map((request) => request.split(' ')[1])).toEqual(['/a', '/b', '/c']);
    writer.learn(1, 'HTTP/1.1 200 OK\r\nservice-resource-etag: "b2"\r\nx: y');
    writer.next(1);
    expect(writer.next(1)).toContain('If-Match: "b2"\r\n');
    expect(new Set(first.map((request) => /Idempotency-Key: (.*)\r/.exec(request)![1])).size).toBe(3);
  });

  it('state the length of their body', () => {
    const writer = new RequestWriter({ ...load, work: { kind: 'people', path: '/people', name: 'new' } });
    const [head, body] = writer.next(0).split('\r\n\r\n');
    expect(head).toContain(`Content-Length: ${body!.length}`);
    expect(JSON.parse(body!)).toMatchObject({ work_email: 'new.1@bench.example' });
  });
});

describe('what the bare server writes', () => {
  const tables = [
    { table: 'events', rows: 2, bytes: 100 },
    { table: 'idempotency_receipts', rows: 1, bytes: 50 },
  ];

  it('is in a transaction the same rows, by a statement for each table', () => {
    const { before, receipt } = insertStatementsOf('patch', { tables, answer: '{}' });
    expect(insertsOf('patch', { tables, answer: '{}' })).toBe(`with i0 as (${before[0]!}) ${receipt}`);
    expect(before).toHaveLength(1);
  });

  it('is one statement that inserts all rows and takes the key of the receipt', () => {
    const statement = insertsOf('patch', { tables, answer: '{}' });
    expect(statement).toMatch(/^with i0 as \(insert into patch_0 \(body\) select '[0-9a-z]{60}' from generate_series\(1, 2\)\) insert/);
    expect(statement).toMatch(/insert into patch_1 \(key, body\) values \(\$1, '[0-9a-z]{10}'\)$/);
  });
});

describe('the table', () => {
  const line: Line = {
    what: 'Reads',
    figures: [0.5],
    ratio: '0.50',
    goal: '≥ 0.8',
    isMet: false,
    product: '10/s',
    bare: '20/s',
    throughputRatio: '0.50',
    remarks: 'cold',
  };

  it('has cells of one width in each column, so that a terminal shows it well', () => {
    const rows = tableOf([line, { ...line, what: 'Something longer', isMet: null }]).split('\n');
    expect(new Set(rows.map((row) => row.length)).size).toBe(1);
    expect(rows[2]).toMatch(/^\| Reads +\| 0\.50 {2}\| ≥ 0\.8 \| no {2}\| 10\/s +\| 20\/s \|/);
  });

  it('shows of several runs the one with the middle figure, and the figures of all in their order', () => {
    const run = (figure: number, reads: number): readonly Line[] => [
      { ...line, figures: [figure], remarks: `as in run ${figure}` },
      { ...line, what: 'Rate', figures: [reads] },
    ];
    const lines = middleOf([run(0.9, 300), run(0.4, 1_000), run(0.7, 99.5)]);
    expect(lines[0]).toMatchObject({ what: 'Reads', remarks: 'as in run 0.7', figures: [0.9, 0.4, 0.7] });
    expect(tableOf(lines)).toMatch(/\| 0\.90; 0\.40; 0\.70 +\|[^]*\| 300; 1,000; 99\.50 +\|/);
    expect(middleOf([run(3, 1), run(2, 1)])[0]).toMatchObject({ remarks: 'as in run 2' });
  });

  it('goes into the README in short, in place of the one that was there', () => {
    const readme = `# Name\n\n| a |\n\n## How fast it is\n\nSome words.\n\n| old |\n|---|\n\nMore.\n`;
    const lines = [line, { ...line, what: 'Without a goal', goal: '', isMet: null }];
    const written = withTable(readme, lines);
    expect(tableIn(written)).toBe(shortTableIn(tableOf(lines)));
    expect(written).not.toContain('Without a goal');
    expect(written).toMatch(/^# Name\n\n\| a \|\n\n## How fast it is\n\nSome words\.\n\n\| Measurement[^]*\n\nMore\.\n$/);
    expect(() => withTable('# Name\n', [line])).toThrow('no table');
  });

  it('is the same in the README and in the page of benchmarks', () => {
    expect(tableIn(readFileSync('README.md', 'utf8'))).toBe(shortTableIn(readFileSync('docs/benchmarks.md', 'utf8')));
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
