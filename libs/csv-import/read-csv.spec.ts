import type { CsvRow } from './csv-rows.js';
import { readCsv } from './read-csv.js';

async function read(text: string, size = text.length + 1): Promise<readonly CsvRow[]> {
  const pieces = Array.from({ length: Math.ceil(text.length / size) }, (_, index) =>
    text.slice(index * size, (index + 1) * size),
  );
  const rows: CsvRow[] = [];
  for await (const row of readCsv(pieces)) rows.push(row);
  return rows;
}

const cellsOf = async (text: string): Promise<readonly (readonly string[])[]> =>
  (await read(text)).map(({ cells }) => cells);

describe('a text of comma-separated values', () => {
  it.each([
    [';', 'work_email;job_title\r\na@example.com;Sales, North\r\n'],
    ['\t', 'work_email\tjob_title\na@example.com\tSales, North\n'],
    ['|', 'work_email|job_title\na@example.com|Sales, North'],
    [',', 'work_email,job_title\na@example.com,"Sales, North"'],
    [';', '"work_email, private";"job_title, official"\na@example.com;Sales, North'],
  ])('is read with the delimiter of its header: %j', async (_, text) => {
    expect((await cellsOf(text))[1]).toEqual(['a@example.com', 'Sales, North']);
  });

  it.each(['sep=;\r\n', '"sep=;"\n', 'SEP=;\n', '\ufeffsep=;\n'])(
    'is read with the delimiter that its first line names: %j',
    async (first) => {
      expect(await read(`${first}a;b\nc,d;e\n`)).toEqual([
        { line: 2, cells: ['a', 'b'] },
        { line: 3, cells: ['c,d', 'e'] },
      ]);
    },
  );

  it('has the same rows in pieces of any size', async () => {
    const text =
      '\ufeffa;b\r\n"one\r\ntwo";"say ""hi"" 👩‍🚀"\r\n\r\n;\r\nstray " mark;x\r\n"never closed;y\r\nZoë;漢字\r\n"q";"last';
    const whole = await read(text);
    expect(whole.map(({ line, cells, issue }) => [line, issue === undefined ? cells : 'refused'])).toEqual([
      [1, ['a', 'b']],
      [2, ['one\r\ntwo', 'say "hi" 👩‍🚀']],
      [6, 'refused'],
      [7, 'refused'],
      [8, ['Zoë', '漢字']],
      [9, 'refused'],
    ]);
    for (const size of [1, 2, 3, 5, 7, 64]) expect(await read(text, size)).toEqual(whole);
  });

  it('refuses the lines of stray quotation marks, and reads all others', async () => {
    const rows = await read('a,b\n1,x "y"\n2,"z" w\n3,ok\n"4,open\n5,fine\n6,"quoted, fine"\n7,last');
    expect(rows.filter(({ issue }) => issue !== undefined).map(({ line, issue }) => `${line} ${issue}`)).toEqual([
      '2 is not CSV: put a cell that contains a quotation mark in quotation marks, and double the mark in it',
      '3 is not CSV: put a cell that contains a quotation mark in quotation marks, and double the mark in it',
      '5 is not CSV: put a cell that contains a quotation mark in quotation marks, and double the mark in it',
    ]);
    expect(
      rows.filter(({ issue }) => issue === undefined).map(({ line, cells }) => `${line} ${cells.join('|')}`),
    ).toEqual(['1 a|b', '4 3|ok', '6 5|fine', '7 6|quoted, fine', '8 7|last']);
  });

  it('refuses the line of an unclosed quotation mark, however much text follows', async () => {
    const many = Array.from({ length: 60_000 }, (_, index) => `${index},some more text`);
    const rows = await read(['a,b', '"open,x', ...many].join('\n'), 64_000);
    expect(rows).toHaveLength(many.length + 2);
    expect(rows[1]).toEqual({ line: 2, cells: [], issue: expect.stringContaining('is not closed') });
    expect(rows.at(-1)).toEqual({ line: 60_002, cells: ['59999', 'some more text'] });
  });

  it('may be empty', async () => {
    expect(await read('')).toEqual([]);
    expect(await read('\ufeff')).toEqual([]);
  });
});
