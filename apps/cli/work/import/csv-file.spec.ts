import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CsvRow } from '#csv-import/csv-rows.js';
import { readCsvFile } from './csv-file.js';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'workforce-csv-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function read(content: string | Buffer): Promise<readonly CsvRow[]> {
  const path = join(directory, 'file.csv');
  await writeFile(path, content);
  const rows: CsvRow[] = [];
  for await (const row of readCsvFile(path)) rows.push(row);
  return rows;
}

describe('a CSV file', () => {
  it.each([['\n'], ['\r\n'], ['\r']])('gives rows with the lines where they begin, with line ends %j', async (end) => {
    const text = ['\ufeffa,b', '"one', 'two","say ""hi"""', '', ' , ', 'c,d', '"e', '', '",f', 'g,h'].join(end);
    expect(await read(text)).toEqual([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: [`one${end}two`, 'say "hi"'] },
      { line: 6, cells: ['c', 'd'] },
      { line: 7, cells: [`e${end}${end}`, 'f'] },
      { line: 10, cells: ['g', 'h'] },
    ]);
  });

  it('is read in pieces without breaking characters apart', async () => {
    const rows = Array.from({ length: 8_000 }, (_, index) => `${index},Zoë 漢字 👩‍🚀`);
    const read_ = await read(rows.join('\n'));
    expect(read_).toHaveLength(rows.length);
    expect(read_.every(({ line, cells }) => cells.join(',') === rows[line - 1])).toBe(true);
  });

  it('is refused on the line with bytes that are not UTF-8', async () => {
    const latin = Buffer.from('a,b\nc,d\nZo\xeb,e\nf,g\n', 'latin1');
    await expect(read(latin)).rejects.toMatchObject({
      name: 'UnreadableFileError',
      line: 3,
      message: expect.stringContaining('UTF-8'),
    });
    await expect(read(Buffer.concat([Buffer.from('a,b\nc,'), Buffer.from([0xe6, 0xbc])]))).rejects.toMatchObject({
      line: 2,
    });
    await expect(
      read(Buffer.concat([Buffer.from(`${'x'.repeat(9)}\n`.repeat(8_000)), Buffer.from([0xff])])),
    ).rejects.toMatchObject({ line: 8_001 });
  });

  it.each(['utf16le', 'utf16be'] as const)(
    'is read in UTF-16 where it begins with a byte-order mark: %s',
    async (encoding) => {
      const lines = ['a;b', ...Array.from({ length: 20_000 }, (_, index) => `${index};Zoë 漢字 👩‍🚀`)];
      const bytes = Buffer.from(`\ufeff${lines.join('\r\n')}`, 'utf16le');
      const rows = await read(encoding === 'utf16be' ? bytes.swap16() : bytes);
      expect(rows.map(({ cells }) => cells.join(';'))).toEqual(lines);
    },
  );
});
