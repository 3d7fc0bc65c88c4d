import { readdir, readFile } from 'node:fs/promises';

/**
 * Stops a PostgreSQL like a hanging machine: connections stay open and nothing is answered. Returns the
 * function that resumes it.
 */
export async function freezePostgres(postmaster: number): Promise<() => void> {
  // The postmaster first, so that it starts no further child.
  process.kill(postmaster, 'SIGSTOP');
  const children = await childrenOf(postmaster);
  for (const pid of children) signal(pid, 'SIGSTOP');
  return () => {
    for (const pid of [...children, postmaster]) signal(pid, 'SIGCONT');
  };
}

async function childrenOf(parent: number): Promise<readonly number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const parents = await Promise.all(pids.map(async (pid) => [pid, await parentOf(pid)] as const));
  return parents.filter(([, of]) => of === parent).map(([pid]) => pid);
}

/** Returns the parent; null for a process that has ended. */
async function parentOf(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  // The name before it, in parentheses, may contain any character.
  return status === null ? null : Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    // The process has ended.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
