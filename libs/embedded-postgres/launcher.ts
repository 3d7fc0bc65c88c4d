import { execFile, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { PostgresBinaries } from './binaries.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { unprivilegedUser, type SystemUser } from './system-user.js';

const run = promisify(execFile);

/** A way to run PostgreSQL's programs on this machine: as whom, and through which helper. */
export interface Launcher {
  /**
   * The user to whom files must belong that PostgreSQL works on; null where that is the user of this process.
   */
  readonly user: SystemUser | null;
  /** Starts a program; on Linux, one that gets the signal SIGINT when this process dies, however it dies. */
  spawn(program: string, parameters: readonly string[], options: SpawnOptions): ChildProcess;
  /** Gives a file or directory to the user. */
  own(path: string): Promise<void>;
}

interface Way {
  readonly prefix: readonly string[];
  readonly user: SystemUser | null;
  /** Whether Node itself changes the user, rather than the helper. */
  readonly switchesUser: boolean;
}

/**
 * Finds a way that works here by trying: PostgreSQL refuses to run as root, so root becomes another user;
 * that user may be unable to enter the directories above (a clone below /root), so it then gets the one
 * capability to pass them. `directory` is where the data will be.
 */
export async function findLauncher(binaries: PostgresBinaries, directory: string): Promise<Launcher> {
  const user = process.getuid?.() === 0 ? await unprivilegedUser() : null;
  for (const way of waysFor(user)) {
    if (await works(way, binaries, directory)) return launcherOf(way);
  }
  throw new EmbeddedPostgresError(
    user === null
      ? `PostgreSQL cannot be run from ${binaries.postgres}: run "npm ci" again, or set DATABASE_URL.`
      : `PostgreSQL does not run as root, and the user "${user.name}" may not enter ${directory}: set WORKFORCE_DATA_DIR to a directory that everyone may enter, run as another user, or set DATABASE_URL.`,
  );
}

function waysFor(user: SystemUser | null): readonly Way[] {
  // setpriv (util-linux) has PostgreSQL shut itself down when this process is killed; without it, the next
  // start does.
  const helper = ['setpriv', '--pdeathsig', 'INT'];
  if (user === null) {
    return [
      { prefix: helper, user, switchesUser: false },
      { prefix: [], user, switchesUser: false },
    ];
  }
  const become = [...helper, '--reuid', String(user.uid), '--regid', String(user.gid), '--clear-groups'];
  // access(2) disregards capabilities of a user other than root unless this bit is set.
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
    // Containers commonly have this one instead.
    { prefix: [...become, ...keep('dac_override')], user, switchesUser: false },
  ];
}

async function works(way: Way, binaries: PostgresBinaries, directory: string): Promise<boolean> {
  // `test -x` asks access(2), as PostgreSQL itself does.
  const script = 'cd "$1" && test -x "$2" && "$2" --version';
  const [program, ...parameters] = [...way.prefix, '/bin/sh', '-c', script, 'sh', directory, binaries.postgres];
  try {
    await run(program!, parameters, { ...userOf(way), cwd: '/', timeout: 60_000 });
    return true;
  } catch {
    // Whatever the reason, this way is closed; the caller tries the next one and reports where none is left.
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
