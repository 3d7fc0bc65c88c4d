import { existsSync, statfsSync, watch } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#embedded-postgres/embedded-postgres.js';
import { isRunning, ownIdentity, type ProcessIdentity } from '#embedded-postgres/process-identity.js';

/** Names the directory through which tests and the run's server find each other. */
const VARIABLE = 'WORKFORCE_TEST_SERVER_DIRECTORY';
const PREFIX = 'workforce-test-';
const WAIT_MILLISECONDS = 600_000;
const POLL_MILLISECONDS = 20;

/**
 * The memory file system of Linux: the databases of a run write gigabytes that nobody keeps, and a slow disk
 * would be waited for.
 */
const MEMORY = '/dev/shm';
/** What a whole run may take of it. Containers often have 64 MB, which is too little. */
const MEMORY_BYTES = 6 * 1024 ** 3;

/** Where temporary directories are made: in memory where there is enough of it. */
const ROOT = hasRoom(MEMORY) ? MEMORY : tmpdir();

function hasRoom(path: string): boolean {
  if (!existsSync(path)) return false;
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize >= MEMORY_BYTES && freemem() >= MEMORY_BYTES;
}

/**
 * A server that has its data in memory or in a temporary directory, and what to do when it is no longer
 * needed.
 */
export interface OfferedServer {
  stop(): Promise<void>;
}

/**
 * Run by Jest's global set-up, in Jest's own process: starts a server as soon as a test asks for one, so that
 * a run of pure specs pays nothing. The server ends with that process, however it ends; what an interrupted
 * run left of its files is removed by the next one.
 */
export async function offerTestServer(): Promise<OfferedServer> {
  await removeAbandoned();
  const directory = await temporaryDirectory();
  process.env[VARIABLE] = directory;
  let starting: Promise<EmbeddedPostgres> | null = null;
  const watcher = watch(directory, (_, name) => {
    if (name !== 'wanted' || starting !== null) return;
    starting = startEmbeddedPostgres({ directory, durable: false, connections: 400 });
    starting.then(
      (server) => publish(directory, 'url', server.url),
      (error: unknown) => publish(directory, 'error', String(error)),
    );
  });
  watcher.unref();
  return {
    stop: async () => {
      watcher.close();
      const server = await starting?.catch(() => null);
      await server?.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Asks for the run's server and waits until it is there. */
export async function testServerUrl(): Promise<string> {
  const directory = process.env[VARIABLE];
  if (directory === undefined)
    throw new Error('there is no test server: run the tests through Jest with the jest.config.cjs of this project');
  const deadline = Date.now() + WAIT_MILLISECONDS;
  await writeFile(join(directory, 'wanted'), '');
  while (Date.now() < deadline) {
    if (existsSync(join(directory, 'url'))) return readFile(join(directory, 'url'), 'utf8');
    if (existsSync(join(directory, 'error'))) throw new Error(await readFile(join(directory, 'error'), 'utf8'));
    await wait(POLL_MILLISECONDS);
  }
  throw new Error(`the test server did not start within ${WAIT_MILLISECONDS / 1_000} s; see ${directory}/postgres.log`);
}

/** A directory of its own for a test, removed with `rm`; of an interrupted run, by a later run. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(ROOT, PREFIX));
  // PostgreSQL may run as another user, who must be able to pass.
  await chmod(directory, 0o711);
  await writeFile(join(directory, 'owner.json'), JSON.stringify(ownIdentity()));
  return directory;
}

async function removeAbandoned(): Promise<void> {
  for (const root of new Set([ROOT, tmpdir()])) {
    const names = (await readdir(root)).filter((name) => name.startsWith(PREFIX));
    await Promise.all(names.map((name) => removeIfAbandoned(join(root, name))));
  }
}

async function removeIfAbandoned(directory: string): Promise<void> {
  let owner: ProcessIdentity;
  try {
    owner = JSON.parse(await readFile(join(directory, 'owner.json'), 'utf8')) as ProcessIdentity;
  } catch {
    // Just being made, or being removed, by another run.
    return;
  }
  if (!isRunning(owner)) await rm(directory, { recursive: true, force: true });
}

async function publish(directory: string, name: string, text: string): Promise<void> {
  await writeFile(join(directory, `${name}.unfinished`), text, { mode: 0o600 });
  await rename(join(directory, `${name}.unfinished`), join(directory, name));
}
