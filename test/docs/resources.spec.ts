import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(__dirname, '..', '..');
/** How far a number of the page may be from the tree before the page no longer tells how large something is. */
const SLACK = 0.2;

interface Counted {
  readonly name: string;
  readonly kind: string;
  readonly source: { readonly files: number; readonly lines: number; readonly longest: number };
}

const counted = JSON.parse(execFileSync(process.execPath, ['scripts/count-resources.mjs', '--json'], { cwd: ROOT, encoding: 'utf8' })) as readonly Counted[];
const text = readFileSync(join(ROOT, 'docs', 'reference', 'resources.md'), 'utf8');
const rows = new Map([...text.matchAll(/^\| `([\w-]+)` \| (\w+) \| (\d+) \| (\d+) \|/gm)].map(([, name, kind, files, lines]) => [name!, { kind: kind!, files: Number(files), lines: Number(lines) }]));

describe('the sizes of the resources; if not: node scripts/count-resources.mjs', () => {
  it('are told of every folder, and of no other', () => {
    expect([...rows.keys()].sort()).toEqual(counted.map(({ name }) => name).sort());
    expect(counted.length).toBeGreaterThan(20);
  });

  it.each(counted)('are told rightly of $name', ({ name, kind, source }) => {
    const row = rows.get(name)!;
    expect(row.kind).toBe(kind);
    for (const size of ['files', 'lines'] as const) {
      const allowed = Math.max(source[size] * SLACK, 2);
      expect([size, Math.abs(row[size] - source[size]) <= allowed ? 'near' : source[size]]).toEqual([size, 'near']);
    }
  });
});
