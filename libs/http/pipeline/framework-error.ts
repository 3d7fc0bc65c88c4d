import { HttpError, type HttpErrorOptions, UNREADABLE_BODY } from '../errors.js';

const TOO_LARGE = { status: 413, message: UNREADABLE_BODY[413] } as const;
const WRONG_LENGTH = { message: 'The body is not as long as Content-Length says.' } as const;
const BROKEN_OFF = { message: 'The request broke off.' } as const;

/** What the errors of reading a body mean, by the `type` that `raw-body` gives them. */
const BODY_ERRORS: Readonly<Record<string, HttpErrorOptions | undefined>> = {
  'entity.too.large': TOO_LARGE,
  'request.size.invalid': WRONG_LENGTH,
  'request.aborted': BROKEN_OFF,
  'stream.not.readable': BROKEN_OFF,
};

/** Maps an error of Fastify, or of reading a body, to an answer for the caller; returns any other error unchanged. */
export function fromFrameworkError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof HttpError) return error;
  const unread = 'type' in error ? BODY_ERRORS[String(error.type)] : undefined;
  if (unread !== undefined) return new HttpError('invalid_request', unread);
  if (!('code' in error)) return error;
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new HttpError('invalid_request', { status: 415, message: UNREADABLE_BODY[415] });
    case 'FST_ERR_BAD_URL':
      return new HttpError('invalid_request', { details: [{ field: 'path', issue: 'has an escape that is not valid' }] });
    // Without a system call, the request body broke off and no client waits for the answer. With one, a connection to a store was reset.
    case 'ECONNRESET':
      return 'syscall' in error ? error : new HttpError('invalid_request', BROKEN_OFF);
    default:
      return error;
  }
}
