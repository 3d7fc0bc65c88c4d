import { DatabaseUnavailableError } from '#database/errors.js';
import { recentDatabaseErrors } from '#database/sessions/advice.js';
import { StoreUnavailableError, WrongExpectedRevisionError } from '#event-store/event-store.js';
import { ExpectationFailedError, ExpectationMissingError } from './handle-command.js';
import { failureOf } from './failures.js';
import { IdempotencyMismatchError, InProgressError } from './idempotency-errors.js';

it.each([
  [new WrongExpectedRevisionError('stream', 1, 2), 'overtaken'],
  [new ExpectationFailedError(), 'expectation_failed'],
  [new ExpectationMissingError(), 'expectation_missing'],
  [new IdempotencyMismatchError(), 'key_reused'],
  [new InProgressError(), 'in_progress'],
  [new StoreUnavailableError('down'), 'unavailable'],
  [new DatabaseUnavailableError(), 'unavailable'],
  [new Error('a defect'), null],
  ['no error at all', null],
])('returns for %s the failure %s', (error, failure) => {
  expect(failureOf(error)).toBe(failure);
});

it('records the resource that PostgreSQL lacks, for the operator', () => {
  const full = Object.assign(new Error('could not extend file'), { code: '53100' });
  expect(failureOf(new StoreUnavailableError('PostgreSQL did not answer', { cause: full }))).toBe('unavailable');
  expect(recentDatabaseErrors()).toEqual([expect.stringContaining('disk is full')]);
});
