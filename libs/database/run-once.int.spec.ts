import { databaseForSpec } from '../../test/support/postgres.js';
import { runOnce } from './run-once.js';

describe('work that runs once', () => {
  const database = databaseForSpec();

  const yes = (): Promise<boolean> => Promise.resolve(true);
  const no = (): Promise<boolean> => Promise.resolve(false);

  it('does not run again', async () => {
    expect(await runOnce(database.pool, 'first', yes, () => Promise.resolve('done'))).toBe('done');
    expect(await runOnce(database.pool, 'first', yes, () => Promise.resolve('done'))).toBeNull();
  });

  it('does not run if it does not apply, and may apply later', async () => {
    expect(await runOnce(database.pool, 'second', no, () => Promise.resolve('done'))).toBeNull();
    expect(await runOnce(database.pool, 'second', yes, () => Promise.resolve('done'))).toBe('done');
  });

  it('runs again after an interruption, even if it would no longer apply', async () => {
    await expect(runOnce(database.pool, 'third', yes, () => Promise.reject(new Error('power cut')))).rejects.toThrow(
      'power cut',
    );
    expect(await runOnce(database.pool, 'third', no, () => Promise.resolve('done'))).toBe('done');
  });
});
