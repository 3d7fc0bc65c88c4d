import { HttpError, UNREADABLE_BODY } from '../errors.js';

/** Maps an error of Fastify to an answer for the caller; returns any other error unchanged. */
export function fromFrameworkError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof HttpError || !('code' in error)) return error;
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new HttpError('invalid_request', { status: 415, message: UNREADABLE_BODY[415] });
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new HttpError('invalid_request', { status: 413, message: UNREADABLE_BODY[413] });
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new HttpError('invalid_request', { message: 'The body is not as long as Content-Length says.' });
    case 'FST_ERR_BAD_URL':
      return new HttpError('invalid_request', { details: [{ field: 'path', issue: 'has an escape that is not valid' }] });
    // Without a system call, the request body broke off and no client waits for the answer. With one, a connection to a store was reset.
    case 'ECONNRESET':
      return 'syscall' in error ? error : new HttpError('invalid_request', { message: 'The request broke off.' });
    default:
      return error;
  }
}
