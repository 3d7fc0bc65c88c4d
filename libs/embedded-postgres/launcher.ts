import { execFile, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './binaries.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { unprivilegedUser, type SystemUser } from './system-user.js';

const run = promisify(execFile);

/** A way to run PostgreSQL's programs on this machine: the user, and the helper. */
export interface Launcher {
  /** The user who must own PostgreSQL's files; null for the user of this process. */
  readonly user: SystemUser | null;
  /** Starts a program; on Linux, it gets the signal SIGINT when this process dies in any way. */
  spawn(program: string, parameters: readonly string[], options: SpawnOptions): ChildProcess;
  /** Transfers a file or directory to the user. */
  own(path: string): Promise<void>;
}

interface Way {
  readonly prefix: readonly string[];
  readonly user: SystemUser | null;
  /** Whether Node itself changes the user, rather than the helper. */
  readonly switchesUser: boolean;
}

/**
 * Tries the ways of running PostgreSQL and returns the first that works. PostgreSQL refuses to run as root,
 * so root switches to another user. If that user cannot enter the directories above (a clone below /root),
 * it gets the one capability that allows it. `directory` is the location of the data.
 */
export async function findLauncher(binaries: PostgresBinaries, directory: string): Promise<Launcher> {
  const user = process.getuid?.() === 0 ? await unprivilegedUser() : null;
  for (const way of waysFor(user)) {
    if (await works(way, binaries, directory)) return launcherOf(way);
  }
  throw new EmbeddedPostgresError(
    user === null
      ? `PostgreSQL cannot be run from ${binaries.postgres}: run "npm ci" again, or set DATABASE_URL.`
      : `PostgreSQL does not run as root, and the user "${user.name}" may not enter ${directory}: set ` +
          'WORKFORCE_DATA_DIR to a directory that every user may enter, run as another user, or set DATABASE_URL.',
  );
}

function waysFor(user: SystemUser | null): readonly Way[] {
  // setpriv (util-linux) makes PostgreSQL shut down when this process is killed; without it, the next start
  // shuts it down.
  const helper = ['setpriv', '--pdeathsig', 'INT'];
  if (user === null) {
    return [
      { prefix: helper, user, switchesUser: false },
      { prefix: [], user, switchesUser: false },
    ];
  }
  const become = [...helper, '--reuid', String(user.uid), '--regid', String(user.gid), '--clear-groups'];
  // access(2) ignores capabilities of a user other than root unless this bit is set.
  const keep = (capability: string): readonly string[] => [
    '--securebits',
    '+no_setuid_fixup',
    '--inh-caps',
    `+${capability}`,
    '--ambient-caps',
    `+${capability}`,
  ];
  return [
    { prefix: become, user, switchesUser: false },
    { prefix: [], user, switchesUser: true },
    { prefix: [...become, ...keep('dac_read_search')], user, switchesUser: false },
    // Containers commonly grant this capability instead.
    { prefix: [...become, ...keep('dac_override')], user, switchesUser: false },
  ];
}

async function works(way: Way, binaries: PostgresBinaries, directory: string): Promise<boolean> {
  // `test -x` uses access(2), like PostgreSQL itself.
  const script = 'cd "$1" && test -x "$2" && "$2" --version';
  const [program, ...parameters] = [...way.prefix, '/bin/sh', '-c', script, 'sh', directory, binaries.postgres];
  try {
    await run(program!, parameters, { ...userOf(way), cwd: '/', timeout: 60_000 });
    return true;
  } catch {
    // This way fails for any reason; the caller tries the next one and reports if none is left.
    return false;
  }
}

function userOf(way: Way): { uid?: number; gid?: number } {
  return way.switchesUser && way.user !== null ? { uid: way.user.uid, gid: way.user.gid } : {};
}

function launcherOf(way: Way): Launcher {
  return {
    user: way.user,
    spawn: (program, parameters, options) => {
      const [first, ...rest] = [...way.prefix, program, ...parameters];
      return spawn(first!, rest, { ...options, ...userOf(way) });
    },
    own: async (path) => {
      if (way.user !== null) await chown(path, way.user.uid, way.user.gid);
    },
  };
}
