import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '../../test/contract/event-store.support.js';
import { temporaryDirectory } from '../../test/support/test-server.js';
import { isUnavailable } from '#database/errors.js';
import { createPool } from '#database/pool.js';
import { superviseEmbeddedPostgres } from './supervised-postgres.js';

it('a supervised PostgreSQL that is killed is restarted on its port with its data, and pools reconnect', async () => {
  const directory = await temporaryDirectory();
  const reasons: string[] = [];
  const server = await superviseEmbeddedPostgres(directory, (reason) => reasons.push(reason));
  const pool = createPool(server.url, { applicationName: 'test', maximum: 2 });
  await pool.query("create table notes (text text); insert into notes values ('kept')");
  process.kill(
    Number((await readFile(join(directory, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]),
    'SIGKILL',
  );
  const deadline = Date.now() + 600_000;
  let rows: unknown = null;
  while (rows === null && Date.now() < deadline) {
    try {
      const answer = await pool.query('select text from notes');
      if (reasons.length > 0) rows = answer.rows;
    } catch (error) {
      expect(isUnavailable(error)).toBe(true);
    }
    await wait(20);
  }
  expect(rows).toEqual([{ text: 'kept' }]);
  expect(reasons).toHaveLength(1);
  await pool.end();
  await server.stop();
  // Children of a postmaster that was killed may write for another moment.
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

it('one that ended because its disk was full is started when there is room, and a stop does not wait for that', async () => {
  const directory = await temporaryDirectory();
  const reasons: string[] = [];
  let room = false;
  let looks = 0;
  const hasRoom = async (): Promise<boolean> => {
    looks += 1;
    return room;
  };
  const server = await superviseEmbeddedPostgres(directory, (reason) => reasons.push(reason), hasRoom);
  const pool = createPool(server.url, { applicationName: 'test', maximum: 1 });
  const postmaster = async (): Promise<number> =>
    Number((await readFile(join(directory, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const killed = await postmaster();
  process.kill(killed, 'SIGKILL');
  await eventually(() => looks >= 2);
  expect(reasons).toEqual([expect.stringMatching(/^its disk is full, so it waits for free space \(/)]);
  expect(await postmaster()).toBe(killed);
  room = true;
  await eventually(() =>
    pool.query('select 1').then(
      () => true,
      () => false,
    ),
  );
  room = false;
  const before = looks;
  process.kill(await postmaster(), 'SIGKILL');
  await eventually(() => looks >= before + 2);
  await pool.end();
  await server.stop();
  // Children of a postmaster that was killed may write for another moment.
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});
