import { ConfigurationError } from '#configuration/configuration.js';
import { DatabaseUnavailableError } from '#database/errors.js';
import { DataDirectoryInUseError } from '#embedded-postgres/data-directory.js';
import { StoreUnavailableError } from '#event-store/event-store.js';
import { conflict, invalid, notFound, RejectedError, type Rejection } from '#kernel/rejection.js';
import { CommandError, NotFoundError, UsageError } from './command-error.js';
import { exitCodeOf } from './exit-code.js';

const refused = (rejection: Rejection): CommandError =>
  new CommandError('A sentence.', { cause: new RejectedError(rejection) });

describe('the exit code of a command', () => {
  it.each<[string, unknown, number]>([
    ['a wrong option', new UsageError('--limit must be 1.'), 2],
    ['a wrong setting', new ConfigurationError(['PORT must be a port.']), 2],
    ['an invalid field', refused(invalid('label', 'must not be blank')), 2],
    ['a state that does not allow it', new CommandError('It is archived.'), 3],
    ['a conflict', refused(conflict('label', 'is taken')), 3],
    ['a conflict without a sentence of its own', new RejectedError(conflict('label', 'is taken')), 3],
    ['another process', new DataDirectoryInUseError('/data', 7), 3],
    ['a port in use', Object.assign(new Error('in use'), { code: 'EADDRINUSE', port: 3_000 }), 3],
    ['something that does not exist', new NotFoundError('There is no person x.'), 4],
    ['something that the domain does not find', refused(notFound('person_id', 'there is no such person')), 4],
    ['an event store that is not reachable', new StoreUnavailableError('away'), 5],
    ['a database that is not reachable', new DatabaseUnavailableError('away'), 5],
    ['a connection that is refused', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 5],
    ['a password that is refused', Object.assign(new Error('refused'), { code: '28P01' }), 5],
    ['an unexpected error', new TypeError('undefined is not a function'), 1],
    ['what is no error', 'text', 1],
  ])('for %s is right', (_name, error, code) => {
    expect(exitCodeOf(error)).toBe(code);
  });
});
