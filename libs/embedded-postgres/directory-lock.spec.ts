import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LockedError, lockDirectory, lockHolder } from './directory-lock.js';
import { ownIdentity } from './process-identity.js';

describe('the lock of a directory', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'workforce-lock-'));
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  const endedProcess = async (): Promise<number> => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    return child.pid!;
  };

  it('has one holder at a time, names it, and can be taken again after its release', async () => {
    const lock = await lockDirectory(directory);
    await expect(lockDirectory(directory)).rejects.toEqual(new LockedError(process.pid));
    expect(await lockHolder(directory)).toEqual(ownIdentity());
    await lock.release();
    expect(await lockHolder(directory)).toBeNull();
    await (await lockDirectory(directory)).release();
  });

  it('is taken over from a process that was killed', async () => {
    await writeFile(join(directory, 'lock.7'), JSON.stringify({ pid: await endedProcess(), started: 'then' }));
    const lock = await lockDirectory(directory);
    expect((await lockHolder(directory))?.pid).toBe(process.pid);
    expect(await readdir(directory)).toEqual(['lock.8']);
    await lock.release();
  });

  it('is taken over if another process has the process id now', async () => {
    await writeFile(join(directory, 'lock.1'), JSON.stringify({ pid: process.ppid, started: 'before the boot' }));
    await expect(lockDirectory(directory)).resolves.toBeDefined();
  });

  it('is taken over if a power failure truncated its file', async () => {
    await writeFile(join(directory, 'lock.1'), '{"pid":');
    await expect(lockDirectory(directory)).resolves.toBeDefined();
  });

  it('goes to exactly one of many processes that find it stale at once', async () => {
    for (let round = 0; round < 20; round++) {
      await rm(directory, { recursive: true });
      directory = await mkdtemp(join(tmpdir(), 'workforce-lock-'));
      await writeFile(join(directory, 'lock.3'), JSON.stringify({ pid: process.pid, started: 'another boot' }));
      const outcomes = await Promise.allSettled(Array.from({ length: 25 }, () => lockDirectory(directory)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });
});
