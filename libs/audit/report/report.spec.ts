import { randomBytes } from 'node:crypto';
import { sealValue } from '#people/custom-field-value/custom-field-value.js';
import { sealJson } from '#people/person/person-seal.js';
import { csvLine } from './report-csv.js';
import { fieldsOf, type Opening } from './report-fields.js';
import { htmlBeginning, htmlEnd, htmlRows } from './report-html.js';
import type { ReportRow } from './report-rows.js';

const KEY = randomBytes(32);
const SEALED: Opening = { open: false };
const OPEN: Opening = { open: true, key: KEY };
const ERASED: Opening = { open: true, key: null };

describe('the fields of an event', () => {
  it.each([
    [
      'terms by their names, nested ones with dots, what has a column of its own left out',
      'employment',
      {
        fact_id: 'ef_1',
        start_date: '2026-01-01',
        terms: { job_title: 'Engineer', department_id: null },
        correction_reason: 'why',
        corrects: 'ef_0',
      },
      [
        ['fact_id', 'ef_1'],
        ['start_date', '2026-01-01'],
        ['job_title', 'Engineer'],
        ['department_id', ''],
      ],
    ],
    [
      'changes without their wrapper',
      'location',
      { changes: { label: 'Oslo', capacity: 12 } },
      [
        ['label', 'Oslo'],
        ['capacity', '12'],
      ],
    ],
    [
      'lists as JSON',
      'api-key',
      { scopes: ['people:read'], secret_hash: 'abc' },
      [
        ['scopes', '["people:read"]'],
        ['secret_hash', '[secret]'],
      ],
    ],
    [
      'secrets of endpoints never',
      'webhook',
      { secret: 'abc', secret_last_four: 'wxyz' },
      [
        ['secret', '[secret]'],
        ['secret_last_four', 'wxyz'],
      ],
    ],
    ['that it happened, where it names nothing', 'document', {}, [['', '']]],
  ])('are %s', (_, category, data, expected) => {
    expect(fieldsOf(category, { type: 'Something', data }, OPEN).map(({ name, value }) => [name, value])).toEqual(
      expected,
    );
  });

  it.each([
    ['person', { sealed: sealJson({ first_name: 'Marguerite' }, KEY) }, 'identity', 'first_name', 'Marguerite'],
    [
      'personal-profile',
      { sealed: { date_of_birth: sealJson('1988-12-10', KEY), home_address: null } },
      'date_of_birth',
      'date_of_birth',
      '1988-12-10',
    ],
    ['person-custom-fields', { values: { cfd_1: sealValue('cfd_1', 'green', KEY) } }, 'cfd_1', 'cfd_1', 'green'],
    ['document', { sealed_name: sealJson('Contract', KEY), byte_size: 3 }, 'name', 'name', 'Contract'],
    [
      'provider-mapping',
      { sealed_external_id: sealJson('EMP-1', KEY), status: 'active' },
      'external_id',
      'external_id',
      'EMP-1',
    ],
    [
      'provider-mapping',
      { changes: { sealed_external_id: sealJson('EMP-2', KEY) }, person_id: 'p' },
      'external_id',
      'external_id',
      'EMP-2',
    ],
  ])(
    'of %s stay sealed unless they are opened, and are erased without the key',
    (category, data, closedName, openName, value) => {
      const read = (opening: Opening): unknown => fieldsOf(category, { type: 'X', data }, opening)[0];
      expect(read(SEALED)).toEqual({ name: closedName, value: '[sealed]' });
      expect(read(OPEN)).toEqual({ name: openName, value });
      expect(read(ERASED)).toEqual({ name: closedName, value: '[erased]' });
    },
  );

  it('show that a sealed value was cleared', () => {
    expect(fieldsOf('personal-profile', { type: 'X', data: { sealed: { home_address: null } } }, SEALED)).toEqual([
      { name: 'home_address', value: '' },
    ]);
  });
});

describe('a line of CSV', () => {
  it.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "no"', '"say ""no"""'],
    ['two\nlines', '"two\nlines"'],
    ['=HYPERLINK("x")', '"\'=HYPERLINK(""x"")"'],
    ['+44 20', "'+44 20"],
    ['-1+1', "'-1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['-450', '-450'],
  ])('has %j as %j', (cell, written) => {
    expect(csvLine([cell, 'end'])).toBe(`${written},end\r\n`);
  });
});

describe('a page', () => {
  const nothing = {
    actor_type: 'operator',
    actor_id: 'root',
    actor_name: '',
    subject: 'person',
    subject_id: 'p',
    event: 'PersonCreated',
    field: 'first_name',
    value: '',
    reason: '',
    supersedes: '',
    approver_type: '',
    approver_id: '',
    person_id: '',
    request_id: '',
    event_id: '1',
    revision: 0,
  };
  const row: ReportRow = { ...nothing, recorded_at: '2026-01-01T08:00:00.000Z' };

  it('shows recorded data as text, whatever it contains', () => {
    const html = htmlRows([{ ...row, value: '<script>alert("1")</script> & \'more\'' }]);
    expect(html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;');
    expect(html).not.toContain('<script');
    expect(htmlBeginning({ title: '<b>', lines: [['<i>', '<u>']] })).not.toMatch(/<b>|<i>|<u>/);
  });

  it('contains the reason and the superseded fact, and begins each event with a stronger line', () => {
    const html = htmlRows([
      { ...row, reason: 'wrong day', supersedes: 'ef_0' },
      { ...row, field: 'last_name' },
      { ...row, event_id: '2' },
    ]);
    expect(html).toContain('<td>wrong day; supersedes ef_0</td>');
    expect(html.split('\n').map((line) => line.startsWith('<tr class="first">'))).toEqual([true, false, true, false]);
  });

  it('loads nothing from outside, repeats its heading on every page and breaks no row', () => {
    const html = `${htmlBeginning({ title: 'Who', lines: [] })}${htmlEnd(1)}`;
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/src=|href=|url\(|@import/);
    expect(html).toContain('thead { display: table-header-group; }');
    expect(html).toContain('tr { break-inside: avoid; }');
    expect(html).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
  });
});
