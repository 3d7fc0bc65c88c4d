import { type ErrorCode, ERRORS } from '../errors.js';
import type { Operation } from '../operation.js';

/** A status that an operation can answer with, and its possible error codes. */
export interface ErrorAnswer {
  readonly status: number;
  readonly codes: readonly ErrorCode[];
}

/** Returns every error that an operation can answer with, by status, derived from its declaration. */
export function errorAnswersOf(operation: Operation): readonly ErrorAnswer[] {
  const { write, parameters, scope, people, errors = [] } = operation;
  const codes = new Set<ErrorCode>([
    'invalid_request',
    'authentication_required',
    'rate_limited',
    'internal_error',
    ...errors,
  ]);
  // Without `people`, the roles that see people by relation are refused.
  if (scope !== null || people === undefined) codes.add('permission_denied');
  if (parameters !== undefined) codes.add('not_found');
  if (write !== undefined) {
    for (const code of [
      'idempotency_required',
      'idempotency_conflict',
      'conflict',
      'permission_denied',
      'not_found',
    ] as const)
      codes.add(code);
    if (write.ifMatch !== 'none') codes.add('precondition_failed');
    if (write.ifMatch === 'required') codes.add('precondition_required');
  }
  const byStatus = new Map<number, ErrorCode[]>();
  for (const [code, { status }] of Object.entries(ERRORS) as [ErrorCode, { status: number }][]) {
    if (codes.has(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  // This includes operations without a body: a body is read before it is refused.
  if (write !== undefined) for (const status of [413, 415]) byStatus.set(status, ['invalid_request']);
  byStatus.set(503, ['internal_error']);
  return [...byStatus].map(([status, of]) => ({ status, codes: of })).sort((a, b) => a.status - b.status);
}

/** Returns every status that an operation can answer with, in ascending order. */
export function statusesOf(operation: Operation): readonly number[] {
  const unchanged = answersUnchanged(operation) ? [304] : [];
  return [operation.successStatus, ...unchanged, ...errorAnswersOf(operation).map(({ status }) => status)];
}

/**
 * Whether an operation answers 304 if the caller has the current representation (If-None-Match): reads with
 * an entity tag do.
 */
export function answersUnchanged({ write, entityTag }: Operation): boolean {
  return write === undefined && entityTag === true;
}
