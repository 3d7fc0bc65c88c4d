/**
 * `node scripts/rehearsal/build-image.mjs DIRECTORY`: performs the steps of the Dockerfile by hand, and
 * leaves the last stage's /app in the directory.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..', '..');
const target = resolve(process.argv[2]);
const WORKDIR = '/app';
const work = mkdtempSync(join(tmpdir(), 'workforce-image-'));

const lines = readFileSync(join(root, 'Dockerfile'), 'utf8')
  .replaceAll(/\\\n/g, ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));
let stage = null;
try {
  for (const line of lines) step(line);
  renameOrCopy(join(work, stage), target);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function step(line) {
  const [instruction, ...rest] = line.trim().split(/\s+/);
  if (instruction === 'FROM') {
    stage = rest.at(-1);
    mkdirSync(join(work, stage));
  } else if (instruction === 'COPY') {
    copy(rest);
  } else if (instruction === 'RUN') {
    console.log(`${stage}: ${rest.join(' ')}`);
    const { status } = spawnSync('sh', ['-c', rest.join(' ')], {
      cwd: join(work, stage),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== 0) throw new Error(`stage ${stage}: "${rest.join(' ')}" ended with ${status}`);
  } else if (instruction === 'WORKDIR' && rest[0] !== WORKDIR) {
    throw new Error(`only ${WORKDIR} is expected as a working directory`);
  }
}

function copy(parameters) {
  const from = parameters[0].startsWith('--from=') ? parameters.shift().slice('--from='.length) : null;
  const destination = join(work, stage, parameters.pop());
  for (const source of parameters) {
    const path = from === null ? join(root, source) : join(work, from, source.slice(WORKDIR.length));
    const isDirectory = destination.endsWith('/') || (parameters.length > 1 && destination === join(work, stage));
    cpSync(path, isDirectory ? join(destination, source.split('/').at(-1)) : destination, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (name) => !name.endsWith('.spec.ts'),
    });
  }
}

function renameOrCopy(source, destination) {
  try {
    renameSync(source, destination);
  } catch {
    cpSync(source, destination, { recursive: true, verbatimSymlinks: true });
  }
}
