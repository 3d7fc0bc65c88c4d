import { StoreUnavailableError } from '#event-store/event-store.js';
import { JobsUnavailableError } from '#jobs/job-engine.js';
import { exitCodeOf } from './exit-code.js';
import { explainError } from './explain-error.js';

const withCode = (code: string, message = 'as PostgreSQL says it'): Error =>
  Object.assign(new Error(message), { code });

describe('the sentence about an error', () => {
  it.each<[string, unknown, RegExp]>([
    [
      'a role that does not exist',
      withCode('28000', 'role "nobody" does not exist'),
      /^The database has no such role, .* DATABASE_URL\.$/,
    ],
    [
      'a role that may not work in the database, met by a migration',
      new Error('Migration 1 failed', { cause: withCode('42501') }),
      /^The role may not .* DATABASE_URL\.$/,
    ],
    ['a wrong password', withCode('28P01'), /^The database refused .* DATABASE_URL\.$/],
    ['a database that does not exist', withCode('3D000'), /^The database does not exist: .* DATABASE_URL\.$/],
    [
      'a queue that cannot be reached',
      new JobsUnavailableError('check that Redis runs, and REDIS_URL'),
      /^The queue of jobs is not reachable: .* REDIS_URL\.$/,
    ],
  ])('of %s names the setting', (_, error, sentence) => {
    expect(explainError(error)).toMatch(sentence);
    expect(exitCodeOf(error)).toBe(5);
  });

  it('names the dependency that did not answer', () => {
    const database = explainError(
      new StoreUnavailableError('the event store is away', { cause: withCode('ECONNREFUSED', 'refused') }),
    );
    expect(database).toMatch(/^The database is not reachable \(refused\): .*DATABASE_URL/);
    expect(database).not.toContain('EVENTSTORE_URL');
    const store = explainError(new StoreUnavailableError('no answer'));
    expect(store).toMatch(/^The event store is not reachable \(no answer\): .*EVENTSTORE_URL/);
    expect(store).not.toContain('DATABASE_URL');
  });
});
