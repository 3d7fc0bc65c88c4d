/** `node scripts/write-command-table.mjs`: writes the table of all commands into docs/reference/cli.md, from the built program. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const [{ commandLine }, { commandTable }] = await Promise.all(
  ['command-line', 'command-table'].map((name) => import(join(root, 'dist', 'apps', 'cli', `${name}.js`))),
);
const file = join(root, 'docs', 'reference', 'cli.md');
const between = /(<!-- commands -->\n\n)[^]*?(\n\n<!-- \/commands -->)/;
const page = readFileSync(file, 'utf8');
if (!between.test(page)) throw new Error(`${file} has no place for the table`);
writeFileSync(
  file,
  page.replace(between, (_, begin, end) => `${begin}${commandTable(commandLine())}${end}`),
);
