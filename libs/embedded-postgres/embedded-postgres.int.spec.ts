import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { temporaryDirectory } from '../../test/support/test-server.js';
import { startEmbeddedPostgres } from './embedded-postgres.js';
import { exists } from './process-identity.js';

const query = async (url: string, text: string): Promise<unknown[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query({ text, rowMode: 'array' })).rows;
  } finally {
    await client.end();
  }
};

describe('the embedded PostgreSQL', () => {
  let directory: string;

  beforeEach(async () => {
    directory = await temporaryDirectory();
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('keeps its data from one start to the next', async () => {
    const first = await startEmbeddedPostgres({ directory });
    await query(first.url, "create table notes (text text); insert into notes values ('kept')");
    expect(await query(first.url, "select current_setting('fsync'), current_setting('synchronous_commit')")).toEqual([
      ['on', 'on'],
    ]);
    await first.stop();
    expect(exists(first.pid)).toBe(false);
    const second = await startEmbeddedPostgres({ directory });
    expect(second.foundOrphan).toBe(false);
    expect(await query(second.url, 'select text from notes')).toEqual([['kept']]);
    await second.stop();
  });

  it('requires its password, and listens on the loopback address only', async () => {
    const server = await startEmbeddedPostgres({ directory, durable: false });
    const url = new URL(server.url);
    url.password = 'wrong';
    await expect(query(url.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    expect(
      await query(server.url, "select current_setting('listen_addresses'), current_setting('unix_socket_directories')"),
    ).toEqual([['127.0.0.1', '']]);
    await server.stop();
  });

  it('logs refused statements without data of the row', async () => {
    const server = await startEmbeddedPostgres({ directory, durable: false });
    await query(
      server.url,
      "create table notes (text text constraint short check (length(text) < 3), name text unique); insert into notes values ('ok', 'Marker-7319')",
    );
    await expect(
      query(server.url, "insert into notes select 'too long', upper('marker-7319 ii')"),
    ).rejects.toMatchObject({ code: '23514' });
    await expect(query(server.url, "insert into notes select 'no', name from notes")).rejects.toMatchObject({
      code: '23505',
    });
    await server.stop();
    const log = await readFile(join(directory, 'postgres.log'), 'utf8');
    expect(log).toContain('violates check constraint "short"');
    expect(log).toContain('violates unique constraint');
    expect(log).not.toMatch(/Marker-7319|MARKER-7319/);
  });

  it('shuts down the server that a killed process left behind', async () => {
    const first = await startEmbeddedPostgres({ directory, durable: false });
    await query(first.url, "create table notes (text text); insert into notes values ('kept')");
    const second = await startEmbeddedPostgres({ directory, durable: false });
    expect(second.foundOrphan).toBe(true);
    expect(exists(first.pid)).toBe(false);
    expect(await query(second.url, 'select text from notes')).toEqual([['kept']]);
    await second.stop();
  });

  it('recovers after kill -9, and reports that it died', async () => {
    const first = await startEmbeddedPostgres({ directory });
    await query(first.url, "create table notes (text text); insert into notes values ('kept')");
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    const second = await startEmbeddedPostgres({ directory });
    expect(await query(second.url, 'select text from notes')).toEqual([['kept']]);
    await second.stop();
  });

  it('starts despite a postmaster.pid whose process id belongs to another process', async () => {
    await (await startEmbeddedPostgres({ directory, durable: false })).stop();
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
    const cluster = join(directory, 'postgres');
    await writeFile(join(cluster, 'postmaster.pid'), `${stranger.pid}\n${cluster}\n1\n5432\n\n127.0.0.1\n1 1\nready\n`);
    const server = await startEmbeddedPostgres({ directory, durable: false });
    expect(exists(stranger.pid!)).toBe(true);
    await server.stop();
    stranger.kill('SIGKILL');
    await once(stranger, 'exit');
  });

  it('does not mistake the files of an interrupted first start for data', async () => {
    await mkdir(join(directory, 'postgres.unfinished-1', 'cluster'), { recursive: true });
    const server = await startEmbeddedPostgres({ directory, durable: false });
    expect(await query(server.url, 'select 1')).toEqual([[1]]);
    await server.stop();
  });

  it('names both versions in one sentence if the data is of another PostgreSQL', async () => {
    const cluster = join(directory, 'postgres');
    await mkdir(cluster);
    await writeFile(join(cluster, 'PG_VERSION'), '15\n');
    await expect(startEmbeddedPostgres({ directory })).rejects.toThrow(
      new RegExp(`^The data in ${cluster} is of PostgreSQL 15 and this program includes PostgreSQL \\d+: run .*\\.$`),
    );
  });

  it('works below a directory that its user may not enter', async () => {
    const closed = join(directory, 'closed');
    await mkdir(closed, { mode: 0o700 });
    await mkdir(join(closed, 'data'), { mode: 0o711 });
    const server = await startEmbeddedPostgres({ directory: join(closed, 'data'), durable: false });
    expect(await query(server.url, 'select 1')).toEqual([[1]]);
    await server.stop();
    await chmod(closed, 0o711);
  });
});
