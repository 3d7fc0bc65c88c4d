import { HttpError } from '../errors.js';
import { fromFrameworkError } from './error-filter.js';

describe('a connection that was reset', () => {
  it('while the body was sent is the end of the request', () => {
    const aborted = Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
    expect(fromFrameworkError(aborted)).toMatchObject({ code: 'invalid_request', message: 'The request was cut off.' });
  });

  it('between the service and a store is not an error of the request', () => {
    const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', errno: -104, syscall: 'read' });
    expect(fromFrameworkError(reset)).toBe(reset);
    expect(fromFrameworkError(reset)).not.toBeInstanceOf(HttpError);
  });
});
