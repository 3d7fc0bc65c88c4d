import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { currentUse, dataDirectoryPath, openDataDirectory } from './data-directory.js';

describe('the data directory', () => {
  let parent: string;
  let path: string;

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'workforce-data-'));
    path = join(parent, 'deep', 'data');
  });

  afterEach(() => rm(parent, { recursive: true, force: true }));

  it('is .workforce beside package.json unless it is configured', () => {
    expect(dataDirectoryPath(null)).toBe(join(process.cwd(), '.workforce'));
    expect(dataDirectoryPath(path)).toBe(path);
  });

  it('is created if it is missing, and publishes the address of its database', async () => {
    expect(await currentUse(path)).toBeNull();
    const directory = await openDataDirectory(path);
    expect(await currentUse(path)).toEqual({ pid: process.pid, runtime: null });
    await directory.publish({ kind: 'server', databaseUrl: 'postgres://somewhere' });
    expect(await currentUse(path)).toMatchObject({ runtime: { kind: 'server', databaseUrl: 'postgres://somewhere' } });
    await directory.release();
    expect(await currentUse(path)).toBeNull();
  });

  it('names the process that uses it, in one sentence', async () => {
    const directory = await openDataDirectory(path);
    await expect(openDataDirectory(path)).rejects.toThrow(
      `The data directory ${path} is in use by process ${process.pid}: stop that process, or set WORKFORCE_DATA_DIR to another directory.`,
    );
    await directory.release();
  });

  it('reports in one sentence that it cannot be created or written', async () => {
    await writeFile(join(parent, 'file'), '');
    const unusable = [join(parent, 'file'), join(parent, 'file', 'below'), '/proc/nothing/here', '/dev/null'];
    for (const place of unusable) {
      const sentence = `The data directory ${place} cannot be used`;
      await expect(openDataDirectory(place)).rejects.toThrow(sentence);
      await expect(openDataDirectory(place)).rejects.toThrow('set WORKFORCE_DATA_DIR to another directory.');
    }
    await expect(currentUse(join(parent, 'file'))).rejects.toThrow('cannot be used');
    // A file of the program that cannot be created there.
    await mkdir(join(path, 'layout.unfinished'), { recursive: true });
    await expect(openDataDirectory(path)).rejects.toThrow(`The data directory ${path} cannot be used`);
  });

  it('reports in one sentence that it has a newer layout, and stays unlocked and unchanged', async () => {
    await (await openDataDirectory(path)).release();
    await writeFile(join(path, 'layout'), '9\n');
    await expect(openDataDirectory(path)).rejects.toThrow(
      `The data directory ${path} is from a newer version of this program (layout 9; this one knows 1): run that version, or set WORKFORCE_DATA_DIR to another directory.`,
    );
    expect(await readFile(join(path, 'layout'), 'utf8')).toBe('9\n');
    expect(await currentUse(path)).toBeNull();
  });
});
