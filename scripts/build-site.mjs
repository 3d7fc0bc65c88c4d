/**
 * Builds the documentation into dist/docs, unless its sources are those of the last build. VitePress's own
 * output is printed only if it fails.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = join(root, 'dist', 'docs', '.sources');
const sources = [
  'package-lock.json',
  ...filesBelow('.').filter((file) => file.endsWith('.md')),
  ...filesBelow('docs', true),
];

const digest = createHash('sha256');
for (const file of sources) digest.update(`${file}\0`).update(readFileSync(join(root, file)));
const current = digest.digest('hex');

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== current) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['node_modules/vitepress/bin/vitepress.js', 'build', 'docs'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  if (status === 0) writeFileSync(stamp, current);
  else process.stderr.write(`${stdout}${stderr}`);
  process.exitCode = status ?? 1;
}

function filesBelow(folder, recursive = false) {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}
