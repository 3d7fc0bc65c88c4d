import type { JsonObject } from '#kernel/json.js';
import type { ErrorAnswer } from '#http/operations/answer-statuses.js';
import { type ErrorCode, ERRORS, UNREADABLE_BODY } from '#http/errors.js';

const REQUEST_ID = 'req_5hGk2JqWn0aTzXyB.4f';

export const REQUEST_ID_SCHEMA: JsonObject = {
  type: 'string',
  minLength: 8,
  maxLength: 64,
  pattern: '^[a-zA-Z0-9._:-]{8,64}$',
};
/** The largest value that the service gives, in seconds: a day. */
const RETRY_AFTER: JsonObject = { type: 'integer', format: 'int32', minimum: 0, maximum: 86_400 };
const MAX_TAG_LENGTH = 255;
const tag = (prefix: string): JsonObject => ({
  type: 'string',
  minLength: `${prefix}""`.length,
  maxLength: MAX_TAG_LENGTH,
  pattern: `^${prefix}"[\\x21\\x23-\\x7E]+"$`,
});
const budgets = (first: string, second: string): JsonObject => ({
  type: 'string',
  minLength: 1,
  maxLength: 255,
  pattern: `^"[a-z-]+";${first}=[0-9]+;${second}=[0-9]+(, "[a-z-]+";${first}=[0-9]+;${second}=[0-9]+)*$`,
});

/** The headers of responses, each defined once. */
export const HEADERS: JsonObject = {
  'Access-Control-Allow-Origin': {
    description:
      'The origin of the page that sent the request, where the operator allows that origin (`CORS_ORIGINS`); ' +
      'absent otherwise.',
    schema: { type: 'string', format: 'uri', minLength: 8, maxLength: 2_048 },
    example: 'https://intranet.example.com',
  },
  'Service-Request-Id': {
    description: 'The id of this request, also `error.request_id`.',
    schema: REQUEST_ID_SCHEMA,
    example: REQUEST_ID,
  },
  'RateLimit-Policy': {
    description: 'The budgets of the key: requests (q) in seconds (w).',
    schema: budgets('q', 'w'),
    example: '"key";q=600;w=60',
  },
  RateLimit: {
    description: 'The remaining requests (r), and the seconds until the window ends (t).',
    schema: budgets('r', 't'),
    example: '"key";r=598;t=42',
  },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: RETRY_AFTER, example: 42 },
  'WWW-Authenticate': {
    description: 'How to authenticate.',
    schema: { type: 'string', enum: ['Bearer'] },
    example: 'Bearer',
  },
  'Service-Resource-ETag': {
    description: 'The strong entity tag of the resource, for If-Match.',
    schema: tag(''),
    example: '"7-3"',
  },
  ETag: { description: 'The weak form of Service-Resource-ETag.', schema: tag('W/'), example: 'W/"7-3"' },
  Location: {
    description: 'The path at which the new resource can be read.',
    schema: { type: 'string', format: 'uri-reference', minLength: 1, maxLength: 255 },
    example: '/api/v1/people/7k2m9qhx4v0c',
  },
  'Idempotent-Replayed': {
    description:
      '`true` for the stored answer of an earlier request, or an answer derived from what that request recorded.',
    schema: { type: 'string', enum: ['true'] },
  },
  Deprecation: {
    description: 'Since when the operation, or a field of it, is deprecated: `@` and seconds of Unix time (RFC 9745).',
    schema: { type: 'string', minLength: 2, maxLength: 20, pattern: '^@[0-9]+$' },
    example: '@1798761600',
  },
  Sunset: {
    description: 'When the operation, or a field of it, may be gone (RFC 8594).',
    schema: {
      type: 'string',
      minLength: 29,
      maxLength: 29,
      pattern: '^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]{8} GMT$',
    },
    example: 'Thu, 01 Jul 2027 00:00:00 GMT',
  },
};

/** Returns references to headers by their names. */
export function headerReferences(...names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The meaning of a status whose codes do not explain it. */
const DESCRIPTIONS: Readonly<Record<number, string>> = {
  413: UNREADABLE_BODY[413],
  415: UNREADABLE_BODY[415],
  503: 'A store is unavailable; a retry is safe.',
};

const ANSWERS: Readonly<Record<string, ErrorAnswer>> = Object.fromEntries(
  [
    { status: 400, codes: ['invalid_request'] },
    { status: 400, codes: ['invalid_request', 'idempotency_required'] },
    { status: 401, codes: ['authentication_required'] },
    { status: 403, codes: ['permission_denied'] },
    { status: 404, codes: ['not_found'] },
    { status: 409, codes: ['idempotency_conflict', 'conflict'] },
    { status: 412, codes: ['precondition_failed'] },
    { status: 413, codes: ['invalid_request'] },
    { status: 415, codes: ['invalid_request'] },
    { status: 428, codes: ['precondition_required'] },
    { status: 429, codes: ['rate_limited'] },
    { status: 500, codes: ['internal_error'] },
    { status: 503, codes: ['internal_error'] },
  ].map((answer) => [nameOf(answer as ErrorAnswer), answer as ErrorAnswer]),
);

/** Returns a reference to the shared description of an error response. */
export function errorReference(answer: ErrorAnswer): JsonObject {
  const name = nameOf(answer);
  if (ANSWERS[name] === undefined) throw new Error(`no error answer ${name}`);
  return { $ref: `#/components/responses/${name}` };
}

/** Returns the shared descriptions of all error responses, and one for other refusals by the HTTP layer. */
export function errorResponses(): JsonObject {
  const named = Object.entries(ANSWERS).map(([name, answer]) => [name, response(answer)] as const);
  return { ...Object.fromEntries(named), Refused: response({ status: 0, codes: ['invalid_request'] }) };
}

function nameOf({ status, codes }: ErrorAnswer): string {
  return codes.length > 1 && codes[0] === 'invalid_request'
    ? `Error${status}Write`
    : `Error${status}${codes.length > 1 ? 'Write' : ''}`;
}

function response({ status, codes }: ErrorAnswer): JsonObject {
  const description =
    DESCRIPTIONS[status] ??
    (status === 0 ? 'Any other refusal.' : codes.map((code) => ERRORS[code].message).join(' Or: '));
  const extra = status === 429 || status === 503 || codes.includes('idempotency_conflict') ? ['Retry-After'] : [];
  const rate = status === 503 || status === 0 ? [] : ['RateLimit-Policy', 'RateLimit'];
  const challenge = status === 401 ? ['WWW-Authenticate'] : [];
  return {
    description,
    headers: headerReferences('Access-Control-Allow-Origin', 'Service-Request-Id', ...rate, ...extra, ...challenge),
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code, status) }])),
      },
    },
  };
}

function exampleOf(code: ErrorCode, status: number): JsonObject {
  const unreadable = (UNREADABLE_BODY as Readonly<Record<number, string>>)[status];
  // Without details, because no field is at fault.
  const details =
    code === 'invalid_request' && unreadable === undefined
      ? { details: [{ field: 'start_date', issue: 'must be a date that exists, written YYYY-MM-DD' }] }
      : {};
  return { error: { code, message: unreadable ?? ERRORS[code].message, request_id: REQUEST_ID, ...details } };
}
