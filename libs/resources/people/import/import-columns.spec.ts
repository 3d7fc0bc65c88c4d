import { type CsvRow, readHeader } from '../../importing/csv-rows.js';
import { ImportReport } from '../../importing/import-report.js';
import { HISTORY_COLUMNS, PEOPLE_COLUMNS, readHistoryRow, readPeopleRow } from './import-columns.js';

function row(header: readonly string[], cells: Readonly<Record<string, string>>): CsvRow {
  return { line: 7, cells: header.map((name) => cells[name] ?? '') };
}

const person = (cells: Readonly<Record<string, string>>): ReturnType<typeof readPeopleRow> =>
  readPeopleRow(PEOPLE_COLUMNS, row(PEOPLE_COLUMNS, cells));
const fact = (cells: Readonly<Record<string, string>>): ReturnType<typeof readHistoryRow> =>
  readHistoryRow(HISTORY_COLUMNS, row(HISTORY_COLUMNS, cells));

describe('a row of people', () => {
  it('names what its cells hold, trimmed, and nothing where they are empty', () => {
    expect(
      person({
        work_email: ' ada@example.com ',
        first_name: 'Ada',
        department: '  Research   and  Development ',
        manager: '12',
        contracted_weekly_minutes: '2250',
        start_date: '2020-02-29',
      }),
    ).toEqual({
      row: {
        line: 7,
        identity: { work_email: 'ada@example.com', first_name: 'Ada' },
        startDate: '2020-02-29',
        endDate: null,
        terms: { plain: { contracted_weekly_minutes: 2250 }, named: { department: 'Research and Development' }, manager: '12' },
      },
    });
  });

  it.each([
    [{}, 'work_email', 'is required'],
    [{ work_email: 'ada' }, 'work_email', 'must be an e-mail address'],
    [{ work_email: 'a@b.example', start_date: '2021-02-29' }, 'start_date', 'must be a date that exists, written YYYY-MM-DD'],
    [{ work_email: 'a@b.example', end_date: '1899-12-31' }, 'end_date', 'must lie between 1900-01-01 and 9998-12-31'],
    [{ work_email: 'a@b.example', contracted_weekly_minutes: '10081' }, 'contracted_weekly_minutes', 'must be at most 10080'],
    [{ work_email: 'a@b.example', full_time_weekly_minutes: '0' }, 'full_time_weekly_minutes', 'must be at least 1'],
    [{ work_email: 'a@b.example', contracted_weekly_minutes: '37.5' }, 'contracted_weekly_minutes', 'must be a whole number'],
    [{ work_email: 'a@b.example', job_title: 'x'.repeat(256) }, 'job_title', 'must be at most 255 characters long'],
    [{ work_email: 'a@b.example', department: 'x'.repeat(201) }, 'department', 'must be at most 200 characters long'],
    [{ work_email: 'a@b.example', manager: 'a\u0000b' }, 'manager', 'must not contain control characters'],
  ])('is refused with the words of the API: %j', (cells, field, issue) => {
    expect(person(cells as Record<string, string>)).toMatchObject({ issues: [{ field, issue }] });
  });

  it('is refused where it has more or fewer cells than the header', () => {
    expect(readPeopleRow(['work_email'], { line: 2, cells: ['a@b.example', 'x'] })).toMatchObject({ issues: [{ field: 'row' }] });
    expect(readPeopleRow(['work_email', 'staff_id'], { line: 2, cells: ['a@b.example'] })).toMatchObject({
      issues: [{ field: 'row' }],
      workEmail: 'a@b.example',
    });
  });
});

describe('a row of history', () => {
  it('is a change where it names no action, and takes the day that belongs to its action', () => {
    expect(fact({ staff_id: '1', start_date: '2020-01-01', job_title: 'Engineer' })).toMatchObject({
      row: { action: 'change', date: '2020-01-01', staffId: '1', workEmail: null },
    });
    expect(fact({ work_email: 'a@b.example', action: 'END', end_date: '2020-01-31' })).toMatchObject({
      row: { action: 'end', date: '2020-01-31' },
    });
    expect(fact({ staff_id: '1', action: 'reactivate', start_date: '2021-01-01' })).toMatchObject({
      row: { action: 'reactivate', date: '2021-01-01' },
    });
  });

  it.each([
    [{ start_date: '2020-01-01' }, ['work_email']],
    [{ staff_id: '1' }, ['start_date']],
    [{ staff_id: '1', action: 'fire', start_date: '2020-01-01' }, ['action']],
    [{ staff_id: '1', action: 'end', start_date: '2020-01-01', job_title: 'Boss' }, ['end_date', 'start_date', 'job_title']],
    [{ staff_id: '1', action: 'reactivate', end_date: '2020-01-01' }, ['start_date', 'end_date']],
  ])('is refused where its action and its days do not fit: %j', (cells, fields) => {
    const read = fact(cells as Record<string, string>);
    expect('issues' in read ? read.issues.map(({ field }) => field) : []).toEqual(fields);
  });
});

describe('a header', () => {
  async function* rows(...cells: readonly string[]): AsyncGenerator<CsvRow> {
    if (cells.length > 0) yield { line: 1, cells };
  }

  it('is taken where every column is known and comes once', async () => {
    const report = new ImportReport();
    expect(await readHeader(rows(' work_email ', 'staff_id'), report, PEOPLE_COLUMNS, [['work_email']])).toEqual([
      'work_email',
      'staff_id',
    ]);
    expect(report.problems).toEqual([]);
  });

  it('is refused on line 1 with all that is wrong with it, also where there is none', async () => {
    const report = new ImportReport();
    expect(await readHeader(rows('staff_id', 'staff_id', 'salary'), report, PEOPLE_COLUMNS, [['work_email']])).toBeNull();
    expect(await readHeader(rows(), report, PEOPLE_COLUMNS, [['work_email']])).toBeNull();
    expect(report.problems.map(({ line, field }) => `${line} ${field}`)).toEqual([
      '1 staff_id',
      '1 salary',
      '1 work_email',
      '1 work_email',
    ]);
  });
});
