import { databaseForSpec } from '../../test/support/postgres.js';
import { createPool } from './pool.js';
import { beginTransaction, inTransaction } from './transaction.js';

describe('a transaction', () => {
  const database = databaseForSpec();

  beforeAll(async () => {
    await database.pool.query('create table notes (text text primary key)');
  });

  const notes = async (): Promise<string[]> => {
    const { rows } = await database.pool.query<{ text: string }>('select text from notes order by text');
    return rows.map((row) => row.text);
  };

  beforeEach(() => database.pool.query('delete from notes'));

  it('commits the writes of its work and returns the result of the work', async () => {
    const answer = await inTransaction(database.pool, async (connection) => {
      await connection.query("insert into notes values ('kept')");
      return 42;
    });
    expect(answer).toBe(42);
    expect(await notes()).toEqual(['kept']);
  });

  it('rolls back if its work throws, and throws the same error', async () => {
    const failure = new Error('no');
    const work = inTransaction(database.pool, async (connection) => {
      await connection.query("insert into notes values ('lost')");
      throw failure;
    });
    await expect(work).rejects.toBe(failure);
    expect(await notes()).toEqual([]);
  });

  it('fails if its work swallowed an error after which PostgreSQL aborted the transaction', async () => {
    const work = inTransaction(database.pool, async (connection) => {
      await connection.query("insert into notes values ('lost')");
      await connection.query('select 1 / 0').catch(() => undefined);
    });
    await expect(work).rejects.toThrow('rolled back');
    expect(await notes()).toEqual([]);
  });

  it('fails and leaves a usable pool if its connection breaks', async () => {
    const work = inTransaction(database.pool, async (connection) => {
      await connection.query("insert into notes values ('lost')");
      await connection.query('select pg_terminate_backend(pg_backend_pid())');
    });
    await expect(work).rejects.toMatchObject({ code: '57P01' });
    expect(await notes()).toEqual([]);
  });

  it('waits for the disk unless an option says otherwise', async () => {
    const inside = (synchronousCommit?: boolean): Promise<unknown> =>
      inTransaction(
        database.pool,
        async (connection) => (await connection.query('show synchronous_commit')).rows[0],
        synchronousCommit === undefined ? {} : { synchronousCommit },
      );
    const before = await inside();
    expect(await inside(false)).toEqual({ synchronous_commit: 'off' });
    expect(await inside()).toEqual(before);
  });

  it.each([
    ['commit', ['kept']],
    ['rollBack', []],
  ] as const)('that its owner ends (%s) gives its connection back once, and is over', async (end, left) => {
    const ended = jest.fn();
    const transaction = await beginTransaction(database.pool, ended);
    await transaction.connection.query("insert into notes values ('kept')");
    expect([await notes(), ended.mock.calls.length]).toEqual([[], 0]);
    await transaction[end]();
    await transaction.rollBack();
    expect([await notes(), ended.mock.calls.length]).toEqual([left, 1]);
  });

  it('that never began releases no connection', async () => {
    const away = createPool('postgres://nobody@127.0.0.1:1/nothing', { applicationName: 'away', maximum: 1 });
    const ended = jest.fn();
    await expect(beginTransaction(away, ended)).rejects.toThrow('ECONNREFUSED');
    expect(ended).not.toHaveBeenCalled();
    await away.end();
  });

  it('refuses writes if it is read-only', async () => {
    const work = inTransaction(database.pool, (connection) => connection.query("insert into notes values ('no')"), {
      readOnly: true,
    });
    await expect(work).rejects.toMatchObject({ code: '25006' });
  });
});
