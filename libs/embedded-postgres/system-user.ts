import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

const run = promisify(execFile);

/** A user of the operating system. */
export interface SystemUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** The name that embedded-postgres gives to the user that it creates. */
const NAME = 'postgres';

/** If no user can be created: existing users that own nothing important. */
const OTHERS = ['nobody', 'daemon'];

/** The user that PostgreSQL runs as if this process is root: `postgres`, created if it is missing. */
export async function unprivilegedUser(): Promise<SystemUser> {
  const existing = await find(NAME);
  if (existing !== null) return existing;
  const created = (await create()) ? await find(NAME) : null;
  if (created !== null) return created;
  for (const name of OTHERS) {
    const user = await find(name);
    if (user !== null) return user;
  }
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root and no other user could be found or created: run as another user, or set ' +
      'DATABASE_URL.',
  );
}

async function find(name: string): Promise<SystemUser | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    const user = { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
    return user.uid > 0 ? user : null;
  } catch {
    // `id` exits with 1 if there is no such user.
    return null;
  }
}

async function create(): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  try {
    await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/usr/sbin/nologin', NAME]);
    return true;
  } catch {
    // No `useradd`, or a read-only /etc: the caller uses another user.
    return false;
  }
}
