import { Cells } from '#csv-import/cells.js';
import { HISTORY_FILE, PEOPLE_FILE, readHistoryRow, readPeopleRow } from './import-columns.js';

function reading<Row>(header: readonly string[], read: (cells: Cells) => Row) {
  return (named: Readonly<Record<string, string>>): { readonly row: Row; readonly issues: Cells['issues'] } => {
    const cells = new Cells(
      header,
      header.map((name) => named[name] ?? ''),
    );
    return { row: read(cells), issues: cells.issues };
  };
}

const person = reading(PEOPLE_FILE.columns, (cells) => readPeopleRow(cells));
const fact = reading(HISTORY_FILE.columns, readHistoryRow);

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
      issues: [],
      row: {
        identity: { work_email: 'ada@example.com', first_name: 'Ada' },
        startDate: '2020-02-29',
        endDate: null,
        effectiveDate: null,
        terms: {
          plain: { contracted_weekly_minutes: 2250 },
          named: { department: 'Research and Development' },
          manager: '12',
        },
      },
    });
  });

  it.each<[Record<string, string>, string]>([
    [{ work_email: '' }, 'is required'],
    [{ work_email: 'ada' }, 'must be an e-mail address'],
    [{ start_date: '2021-02-29' }, 'must be a date that exists, written YYYY-MM-DD'],
    [{ end_date: '1899-12-31' }, 'must lie between 1900-01-01 and 9998-12-31'],
    [{ contracted_weekly_minutes: '10081' }, 'must be at most 10080'],
    [{ full_time_weekly_minutes: '0' }, 'must be at least 1'],
    [{ contracted_weekly_minutes: '37.5' }, 'must be a whole number'],
    [{ job_title: 'x'.repeat(256) }, 'must be at most 255 characters long'],
    [{ department: 'x'.repeat(201) }, 'must be at most 200 characters long'],
    [{ manager: 'a\u0000b' }, 'must not contain control characters'],
  ])('is refused with the message of the API: %j', (cells, issue) => {
    const [field] = Object.keys(cells);
    expect(person({ work_email: 'a@b.example', ...cells })).toMatchObject({ issues: [{ field, issue }] });
  });

  it('accepts dates, numbers and staff ids as spreadsheets and data frames write them', () => {
    const read = person({
      work_email: 'a@b.example',
      staff_id: '1001.0',
      manager: '1000.0',
      start_date: '2025-03-04 00:00:00',
      end_date: '2025-04-04T00:00:00.000Z',
      contracted_weekly_minutes: '2250.0',
      full_time_weekly_minutes: '2250,0',
    });
    expect(read).toMatchObject({
      row: {
        identity: { staff_id: '1001' },
        startDate: '2025-03-04',
        endDate: '2025-04-04',
        terms: { plain: { contracted_weekly_minutes: 2250, full_time_weekly_minutes: 2250 }, manager: '1000' },
      },
    });
  });

  it.each([
    ['start_date', '03/04/2025'],
    ['start_date', '2025-03-04 09:30:00'],
    ['contracted_weekly_minutes', '2,250'],
    ['contracted_weekly_minutes', '2.250'],
    ['contracted_weekly_minutes', '2,000'],
  ])('is refused if it is ambiguous: %s %s', (column, cell) => {
    expect(person({ work_email: 'a@b.example', [column]: cell })).toMatchObject({ issues: [{ field: column }] });
  });

  it('is refused if it has more or fewer cells than the header', () => {
    expect(new Cells(['work_email'], ['a@b.example', 'x']).issues).toMatchObject([{ field: 'row' }]);
    const cells = new Cells(['work_email', 'staff_id'], ['a@b.example']);
    expect(readPeopleRow(cells).identity).toEqual({ work_email: 'a@b.example' });
    expect(cells.issues).toMatchObject([{ field: 'row' }]);
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
    [
      { staff_id: '1', action: 'end', start_date: '2020-01-01', job_title: 'Boss' },
      ['end_date', 'start_date', 'job_title'],
    ],
    [{ staff_id: '1', action: 'reactivate', end_date: '2020-01-01' }, ['start_date', 'end_date']],
  ])('is refused where its action and its days do not fit: %j', (cells, fields) => {
    expect(fact(cells as Record<string, string>).issues.map(({ field }) => field)).toEqual(fields);
  });
});
