import { type ErrorCode, ERRORS, UNAVAILABLE, UNREADABLE_BODY, UNREADABLE_REQUEST } from '#http/errors.js';
import { SANDBOX_MODULES } from '#composition/modules.js';
import { errorAnswersOf } from '#http/operations/answer-statuses.js';
import { apiRoutes } from './listener.js';

/** Whether a client may send the same request again, and what has to change first, by code. */
const REPEAT: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'after a correction of the request',
  idempotency_required: 'with an `Idempotency-Key`',
  authentication_required: 'with a valid key',
  permission_denied: 'after the key, the plan or the approval has changed',
  not_found: 'with another id',
  idempotency_conflict: 'after `Retry-After` if `details[0].issue` is `in_progress`; otherwise with a new key',
  conflict: 'after the state of the resource has changed, with a new key',
  precondition_failed: 'after another read, with the new tag and a new key',
  precondition_required: 'with `If-Match`',
  rate_limited: 'after `Retry-After`, unchanged',
  internal_error: 'unchanged, after `Retry-After` or with growing pauses; writes with the same key',
};

/** Statuses with a message of their own; the HTTP layer answers the rest before an operation is known. */
const OTHER_STATUSES: readonly (readonly [status: number, code: ErrorCode, message: string])[] = [
  [405, 'invalid_request', 'The path has other methods; `Allow` lists them.'],
  [408, 'invalid_request', UNREADABLE_REQUEST[408]],
  [413, 'invalid_request', UNREADABLE_BODY[413]],
  [415, 'invalid_request', UNREADABLE_BODY[415]],
  [431, 'invalid_request', UNREADABLE_REQUEST[431]],
  [503, 'internal_error', UNAVAILABLE],
];

/** The text of `docs/reference/generated/errors.md`. */
export function errorsPage(): string {
  const operations = apiRoutes(SANDBOX_MODULES).map(({ operation }) => errorAnswersOf(operation));
  const count = (code: ErrorCode): string => {
    const having = operations.filter((answers) => answers.some(({ codes }) => codes.includes(code))).length;
    return having === operations.length ? 'all' : `${having} of ${operations.length}`;
  };
  const codes = Object.entries(ERRORS) as [ErrorCode, { readonly status: number; readonly message: string }][];
  return [
    '# Statuses and error codes',
    '',
    'Every error code of the API with its status and default message. Decide by `error.code`; messages are for',
    'people and may change. [HTTP](../http.md#errors) explains when each one occurs.',
    '`node scripts/write-reference-pages.mjs` writes this page from the table of errors.',
    '',
    '| Code | Status | Message | Operations | Send again |',
    '|---|---|---|---|---|',
    ...codes.map(([code, { status, message }]) => {
      return `| \`${code}\` | ${status} | ${message} | ${count(code)} | ${REPEAT[code]} |`;
    }),
    '',
    'These statuses use a code of the table:',
    '',
    '| Status | Code | Message |',
    '|---|---|---|',
    ...OTHER_STATUSES.map(([status, code, message]) => `| ${status} | \`${code}\` | ${message} |`),
    '',
    'Successes are 200, 201 for a new resource, 204 without a body, and 304 for a read whose `If-None-Match` is',
    'current. [Routes](routes.md) has the success status of each operation.',
    '',
  ].join('\n');
}
