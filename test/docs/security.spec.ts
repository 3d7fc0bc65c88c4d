import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..');
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const testsIn = (text: string): readonly string[] =>
  [...text.matchAll(/`((?:libs|apps|test)\/[\w./-]+)`/g)].map(([, path]) => path!);

describe('the security pages', () => {
  it('treat each of the ten risks, and name tests that exist for it', () => {
    const rows = rowsOf('docs/reference/owasp-api-top-10.md', /^\| API\d/);
    expect(rows.map(([risk]) => /^API\d+/.exec(risk!)![0])).toEqual(
      Array.from({ length: 10 }, (_, index) => `API${index + 1}`),
    );
    for (const [risk, , shown] of rows) {
      const tests = testsIn(shown!);
      expect([risk, tests.length > 0]).toEqual([risk, true]);
      expect(tests.filter((path) => !/\.spec\.ts$/.test(path) || !existsSync(join(ROOT, path)))).toEqual([]);
    }
  });

  it('treat each chapter of ASVS 5.0, and name tests that exist for each that applies', () => {
    const rows = rowsOf('docs/reference/asvs-level-2.md', /^\| V\d/);
    expect(rows.map(([chapter]) => /^V\d+/.exec(chapter!)![0])).toEqual(
      Array.from({ length: 17 }, (_, index) => `V${index + 1}`),
    );
    for (const [chapter, applies, , shown] of rows) {
      const tests = testsIn(shown!);
      expect([chapter, tests.length > 0]).toEqual([chapter, applies !== 'no']);
      expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    }
  });
});

/** The cells of the rows of a page's tables that match. */
function rowsOf(page: string, row: RegExp): readonly (readonly string[])[] {
  return read(page)
    .split('\n')
    .filter((line) => row.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
