import { readFileSync } from 'node:fs';
import { Requests } from './children/requests.js';
import { processorRatio, rateRatio } from './compare.js';
import { flatten } from './directus.js';
import { weekdaysFrom } from './installation.js';
import { withResult } from './page.js';
import { parseStat, processorTimeOf } from './processor-time.js';
import { spreadOf } from './statistics.js';
import { atLeast, atMost, type Line, tableOf } from './table.js';

describe('the figures of rounds', () => {
  it('have the middle of an odd and the mean of the two middles of an even number of values as their median', () => {
    expect(spreadOf([9, 1, 5])).toEqual({ median: 5, lowest: 1, highest: 9 });
    expect(spreadOf([4, 1, 9, 6]).median).toBe(5);
  });

  it('are compared round by round: processor time the other way round than rates', () => {
    const product = [{ perSecond: 10, node: 150, postgres: 50 }];
    const bare = [{ perSecond: 20, node: 60, postgres: 40 }];
    expect(processorRatio(product, bare).median).toBe(0.5);
    expect(rateRatio(product, bare).median).toBe(0.5);
  });
});

describe('processor time', () => {
  it('is read by fields after the name, which may hold blanks and brackets; ended children count', () => {
    const line = '42 (odd) name) S 7 42 42 0 -1 4194560 900 0 0 0 150 50 20 5 20 0 1 0 100 0 0';
    expect(parseStat(line)).toEqual({ parent: 7, name: 'odd) name', seconds: 2.25 });
  });

  it('of this process grows with its work, and is that of Node.js, not of PostgreSQL', () => {
    const before = processorTimeOf([process.pid]);
    while (processorTimeOf([process.pid]).node === before.node);
    expect(processorTimeOf([process.pid]).node).toBeGreaterThan(before.node);
    expect(() => processorTimeOf([2 ** 30])).toThrow('has ended');
  });
});

describe('the requests of the load generator', () => {
  const load = { url: 'http://127.0.0.1:1', apiKey: 'key', connections: 2 };

  it('name each person from one connection only, with the tag of the last answer and keys of their own', () => {
    const requests = new Requests({ ...load, work: { kind: 'patches', paths: ['/a', '/b', '/c', '/d'] } });
    expect([...requests.toLearn(1)].map(([target]) => target)).toEqual([1, 3]);
    const first = [requests.next(0), requests.next(1), requests.next(0)].map(String);
    expect(first.map((request) => request.split(' ')[1])).toEqual(['/a', '/b', '/c']);
    requests.learn(1, 'HTTP/1.1 200 OK\r\nService-Resource-ETag: "b2"\r\nx: y');
    requests.next(1);
    expect(requests.next(1)).toContain('If-Match: "b2"\r\n');
    expect(new Set(first.map((request) => /Idempotency-Key: (.*)\r/.exec(request)![1])).size).toBe(3);
  });

  it('state the length of their body', () => {
    const [head, body] = String(new Requests({ ...load, work: { kind: 'people', path: '/people' } }).next(0)).split('\r\n\r\n');
    expect(head).toContain(`Content-Length: ${body!.length}`);
    expect(JSON.parse(body!)).toMatchObject({ first_name: 'Ada' });
  });

  it('take weekdays for new time off', () => {
    expect(weekdaysFrom('2026-12-24', 3)).toEqual(['2026-12-24', '2026-12-25', '2026-12-28']);
  });
});

describe('the columns of Directus', () => {
  it('are the members of a record and of its nested records, with another name for its id', () => {
    expect(flatten({ id: 'a', fte: 1, end_date: null, department: { id: 'd', name: 'Design' }, manager: null, days: [1] })).toEqual({
      record_id: 'a',
      fte: '1',
      end_date: null,
      department_id: 'd',
      department_name: 'Design',
      manager: null,
      days: '[1]',
    });
  });
});

describe('the table', () => {
  const line: Line = {
    what: 'Reads',
    product: '10/s',
    baselines: ['bare 20/s'],
    ratios: ['0.50'],
    floors: [atLeast(0.45, 0.5, ' of bare')],
  };

  it('has cells of one width in each column, so that a terminal shows it well', () => {
    const rows = tableOf([line, { ...line, what: 'Something longer' }]).split('\n');
    expect(new Set(rows.map((row) => row.length)).size).toBe(1);
    expect(rows[2]).toMatch(/^\| Reads +\| 10\/s +\| bare 20\/s \| 0\.50 +\| ≥ 0\.45 of bare \| met +\|$/);
  });

  it('says which floors a line misses', () => {
    const floors = [atLeast(1_000, 999, '/s'), atMost(2, 2, ' s'), atMost(150, 151, ' MB')];
    expect(tableOf([{ ...line, floors }])).toContain('| ≥ 1,000/s; ≤ 2 s; ≤ 150 MB | **missed**: ≥ 1,000/s; ≤ 150 MB |');
    expect(tableOf([{ ...line, floors: floors.slice(0, 1) }])).toMatch(/\| \*\*missed\*\* +\|$/m);
  });

  it('goes into the page in place of the one that was there, and has at most twelve lines', () => {
    const page = readFileSync('docs/explanation/performance.md', 'utf8');
    const written = withResult(page, 'Machine.\n\n| a |\n');
    expect(written).toContain('<!-- result -->\n\nMachine.\n\n| a |\n\n<!-- /result -->');
    expect(withResult(written, 'Machine.\n\n| a |\n')).toBe(written);
    expect(() => withResult('# Name\n', '')).toThrow('no place');
    expect(page.split('\n').filter((row) => row.startsWith('| ')).length).toBeLessThanOrEqual(13);
  });
});
