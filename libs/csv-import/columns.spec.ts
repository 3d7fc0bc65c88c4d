import { type ColumnSettings, type FileColumns, openRows, recogniseColumns } from './columns.js';
import type { CsvRow } from './csv-rows.js';
import { ImportReport } from './import-report.js';

const FILE: FileColumns = {
  columns: ['work_email', 'staff_id', 'first_name', 'job_title'],
  synonyms: { work_email: ['email'], staff_id: ['employee id'], job_title: ['job', 'position'] },
  needed: [['work_email', 'staff_id']],
};

const recognise = (header: string, settings: ColumnSettings = {}) => {
  const { header: columns, issues, warnings } = recogniseColumns(header.split(','), FILE, settings);
  return { columns, issues: issues.map(({ field }) => field), warnings: warnings.map(({ field }) => field) };
};

describe('the columns of a file', () => {
  it.each([
    'work_email,staff_id,first_name,job_title',
    'Work E-mail,Employee ID,First Name,Job',
    'E-Mail, EMPLOYEE-ID ,firstName,Position',
  ])('are recognised in any case, with blanks or signs, and by their synonyms: %s', (header) => {
    expect(recognise(header)).toEqual({
      columns: ['work_email', 'staff_id', 'first_name', 'job_title'],
      issues: [],
      warnings: [],
    });
  });

  it('are ignored with a warning if they are unknown, or refuse the file if that is requested', () => {
    expect(recognise('work_email,salary')).toEqual({ columns: ['work_email', null], issues: [], warnings: ['salary'] });
    expect(recognise('work_email,salary', { refusesUnknownColumns: true })).toMatchObject({
      issues: ['salary'],
      warnings: [],
    });
    expect(recognise('salary')).toMatchObject({ issues: ['work_email'] });
    expect(recognise('')).toMatchObject({ issues: ['work_email'] });
  });

  it('are those of the mapping before any others; the mapping also excludes columns', () => {
    const mapping = { Personalnummer: 'staff_id', email: null, Stelle: 'job_title', other: 'salary' };
    expect(recognise('E-Mail,PERSONALNUMMER,stelle,Job,Other', { mapping })).toEqual({
      columns: [null, 'staff_id', 'job_title', null, null],
      issues: [],
      warnings: ['Job', 'Other'],
    });
  });

  it('are unique: the most certain of several headers counts, and two equally certain ones refuse the file', () => {
    expect(recognise('work_email,Job,job_title')).toEqual({
      columns: ['work_email', null, 'job_title'],
      issues: [],
      warnings: ['Job'],
    });
    expect(recognise('work_email,Job,Position')).toMatchObject({ issues: ['Position'] });
    expect(recognise('work_email,Work E-mail')).toMatchObject({ issues: ['Work E-mail'] });
  });
});

describe('the rows of a file', () => {
  async function* rows(...all: readonly (readonly string[])[]): AsyncGenerator<CsvRow> {
    for (const [index, cells] of all.entries())
      yield index === 2 ? { line: 3, cells: [], issue: 'is not CSV' } : { line: index + 1, cells };
  }

  it('omit rows that are not CSV, and warn once of a column without a header that has content', async () => {
    const report = new ImportReport();
    const file = await openRows(
      rows(['', 'work_email', ''], ['', 'a', ''], [], ['0', 'b', ''], ['1', 'c', '']),
      report,
      FILE,
      {},
    );
    const lines: number[] = [];
    for await (const { line } of file!.rows) lines.push(line);
    expect(lines).toEqual([2, 4, 5]);
    expect([report.rows, report.failed, report.problems]).toEqual([
      1,
      1,
      [{ line: 3, field: 'row', issue: 'is not CSV' }],
    ]);
    expect(report.warnings).toEqual([{ line: 4, field: 'column 1', issue: 'has no header, and is ignored' }]);
  });

  it('are missing if the header is not CSV', async () => {
    const report = new ImportReport();
    async function* broken(): AsyncGenerator<CsvRow> {
      yield { line: 1, cells: [], issue: 'is not CSV' };
    }
    expect(await openRows(broken(), report, FILE, {})).toBeNull();
    expect(report.problems).toEqual([{ line: 1, field: 'file', issue: 'is not CSV' }]);
  });
});
