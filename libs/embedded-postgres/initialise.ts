import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '#database/error-code.js';
import { majorVersionOf, type PostgresBinaries } from './binaries.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import type { Launcher } from './launcher.js';

/** The single role of the embedded server; it owns everything. */
export const ROLE = 'workforce';

/**
 * Creates the cluster if there is none and returns the role's password, which is stored next to it, readable
 * by its owner alone. An interrupted run leaves nothing that the next one could mistake for a cluster.
 */
export async function initialise(directory: string, binaries: PostgresBinaries, launcher: Launcher): Promise<string> {
  await removeUnfinished(directory);
  const found = await clusterVersion(directory);
  if (found !== null) {
    const own = await majorVersionOf(binaries);
    if (found !== own) throw wrongVersion(directory, found, own);
    return (await readFile(passwordFile(directory), 'utf8')).trim();
  }
  const password = randomBytes(24).toString('base64url');
  await writeFile(passwordFile(directory), `${password}\n`, { mode: 0o600 });
  const unfinished = `${directory}.unfinished-${process.pid}`;
  await makeCluster(unfinished, password, binaries, launcher);
  await rename(join(unfinished, 'cluster'), directory);
  await rm(unfinished, { recursive: true, force: true });
  return password;
}

/** The major version of the cluster in a directory; null if there is none. */
async function clusterVersion(directory: string): Promise<string | null> {
  try {
    return (await readFile(join(directory, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** One sentence: both versions, and the remedy. */
function wrongVersion(directory: string, found: string, own: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The data in ${directory} is of PostgreSQL ${found} and this program includes PostgreSQL ${own}: run the version ` +
      'of this program that created it, move its data with pg_dump, or set WORKFORCE_DATA_DIR to an empty directory.',
  );
}

function passwordFile(directory: string): string {
  return `${directory}.password`;
}

async function makeCluster(
  directory: string,
  password: string,
  binaries: PostgresBinaries,
  launcher: Launcher,
): Promise<void> {
  await mkdir(directory, { mode: 0o700 });
  const file = join(directory, 'password');
  await writeFile(file, password, { mode: 0o600 });
  await Promise.all([launcher.own(file), launcher.own(directory)]);
  const cluster = join(directory, 'cluster');
  const parameters = [
    ...['-D', cluster, '-U', ROLE, '--pwfile', file, '--auth=scram-sha-256', '--no-instructions'],
    // Text sorts by code point, the same on every system and in every version; this locale still converts
    // case.
    ...['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
  ];
  const { code, output } = await finished(launcher, binaries.initdb, parameters);
  if (code !== 0)
    throw new EmbeddedPostgresError(`PostgreSQL could not create its data directory ${directory}: ${lastLine(output)}`);
}

function finished(
  launcher: Launcher,
  program: string,
  parameters: readonly string[],
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    // A session of its own, so that Ctrl-C in the terminal reaches this process alone, which stops its parts
    // in order.
    const child = launcher.spawn(program, parameters, { cwd: '/', detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** The last non-empty line of a program's output. */
export function lastLine(output: string): string {
  return output.trim().split('\n').at(-1) ?? '';
}

async function removeUnfinished(directory: string): Promise<void> {
  const parent = dirname(directory);
  const prefix = `${basename(directory)}.unfinished-`;
  const names = (await readdir(parent)).filter((name) => name.startsWith(prefix));
  await Promise.all(names.map((name) => rm(join(parent, name), { recursive: true, force: true })));
}
