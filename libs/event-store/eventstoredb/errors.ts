import { AnotherEventLogError, InvalidAppendError, StoreUnavailableError } from '../event-store.js';

/**
 * gRPC codes after which the outcome is unknown: cancelled, deadline exceeded, resource exhausted, aborted,
 * internal (a reset stream), unavailable.
 */
const UNKNOWN_OUTCOME_CODES = [1, 4, 8, 10, 13, 14];
const UNKNOWN_OUTCOME_TYPES = ['timeout', 'deadline-exceeded', 'unavailable', 'cancelled', 'not-leader'];
const UNKNOWN = 2;
const DEADLINE_EXCEEDED = 4;
const ACCESS_DENIED_CODES = [7, 16];

/**
 * Messages without code or type: of a starting server, of a channel that another call's failure closed, of
 * discovery, of an election.
 */
const UNKNOWN_OUTCOME_MESSAGES =
  /Server Is Not Ready|Server Is Too Busy|Channel has been shut down|closed channel|Failed to discover|No leader info/i;

/**
 * The store did not answer in time, by a timer of this process, for calls whose deadline the client ignores.
 */
export class NoAnswerError extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
    this.name = 'NoAnswerError';
  }
}

/** The parts of a client error. Plain errors (those of the capability probe) have a code and no type. */
export function describe(error: unknown): {
  readonly type: string;
  readonly code: number | null;
  readonly message: string;
} {
  if (typeof error !== 'object' || error === null) return { type: '', code: null, message: String(error) };
  const { type, code, message } = error as { type?: unknown; code?: unknown; message?: unknown };
  return {
    type: typeof type === 'string' ? type : '',
    code: typeof code === 'number' ? code : null,
    message: typeof message === 'string' ? message : '',
  };
}

/**
 * Returns the error of an append: {@link InvalidAppendError} if the server reports that it is too large,
 * otherwise the error unchanged.
 */
export function appendError(error: unknown): unknown {
  const isTooLarge = describe(error).type === 'maximum-append-size-exceeded';
  return isTooLarge ? new InvalidAppendError('the append is over the limit of the server') : error;
}

/** Whether the outcome of the call is unknown and a retry may succeed. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof AnotherEventLogError) return false;
  if (error instanceof NoAnswerError || error instanceof StoreUnavailableError) return true;
  const { type, code, message } = describe(error);
  if (UNKNOWN_OUTCOME_TYPES.includes(type)) return true;
  if (code !== null && UNKNOWN_OUTCOME_CODES.includes(code)) return true;
  return UNKNOWN_OUTCOME_MESSAGES.test(message);
}

/** Whether no response arrived within the time limit. */
export function hasNoAnswer(error: unknown): boolean {
  return error instanceof NoAnswerError || describe(error).code === DEADLINE_EXCEEDED;
}

/** Whether the server refused the user or the user's permission. */
export function isAccessDenied(error: unknown): boolean {
  const { type, code } = describe(error);
  return type === 'access-denied' || (code !== null && ACCESS_DENIED_CODES.includes(code));
}

/** Whether the error is a client error of this type. */
export function isOfType(
  error: unknown,
  type: 'stream-not-found' | 'stream-deleted' | 'wrong-expected-version',
): boolean {
  return describe(error).type === type;
}

interface Explanation {
  readonly when: (error: unknown, message: string) => boolean;
  readonly problem: string;
  readonly remedy: string;
}

const matches =
  (pattern: RegExp) =>
  (_: unknown, message: string): boolean =>
    pattern.test(message);

/**
 * The problem, and the operator's remedy; the first match applies. The client's message names nodes, but
 * never the user or the password.
 */
const EXPLANATIONS: readonly Explanation[] = [
  {
    when: isAccessDenied,
    problem: 'EventStoreDB rejects the user or the password',
    remedy: 'check user and password in EVENTSTORE_URL, and that the user may read and write all streams',
  },
  {
    when: matches(/wrong version number|packet length too long|unexpected message/i),
    problem: 'EventStoreDB does not use TLS',
    remedy: 'enable TLS on the server, or add tls=false to EVENTSTORE_URL',
  },
  {
    when: matches(/certificate has expired|CERT_HAS_EXPIRED|not yet valid/i),
    problem: 'the certificate of EventStoreDB has expired or is not valid yet',
    remedy: 'renew the certificate of the server, and check both clocks',
  },
  {
    when: matches(/altname|Hostname\/IP/i),
    problem: 'the certificate of EventStoreDB is for another name',
    remedy: 'name the nodes in EVENTSTORE_URL as their certificates do',
  },
  {
    when: matches(/certificate required|bad certificate|handshake failure/i),
    problem: 'EventStoreDB requires a client certificate, or rejects it',
    remedy: 'set userCertFile and userKeyFile in EVENTSTORE_URL',
  },
  {
    when: matches(/certificate|CERT_|issuer/i),
    problem: 'the certificate of EventStoreDB is not trusted',
    remedy: 'name the authority that signed it in tlsCAFile of EVENTSTORE_URL',
  },
  {
    when: matches(/ENOTFOUND|EAI_AGAIN|Name resolution failed/i),
    problem: 'the name of an EventStoreDB node cannot be resolved',
    remedy: 'check the nodes in EVENTSTORE_URL and the DNS server',
  },
  {
    when: matches(/Failed to discover/i),
    problem: 'no node of EventStoreDB named the leader of the cluster',
    remedy: 'check that the nodes in EVENTSTORE_URL run and have elected a leader, and tls and tlsCAFile',
  },
  {
    when: matches(/Not Ready|Too Busy|No leader info/i),
    problem: 'EventStoreDB is starting, electing a leader or too busy',
    remedy: 'wait; if it lasts, check the log of the server',
  },
  {
    when: (error) => describe(error).type === 'not-leader',
    problem: 'EventStoreDB is electing a new leader',
    remedy: 'wait; if it lasts, check the log of the cluster',
  },
  {
    when: matches(/ECONNREFUSED/),
    problem: 'no process listens at the address of EventStoreDB',
    remedy: 'start EventStoreDB, or check the nodes in EVENTSTORE_URL',
  },
  {
    when: hasNoAnswer,
    problem: 'EventStoreDB accepts calls and does not answer',
    remedy: 'check its load, its disk and its log; restart the node if it hangs',
  },
  {
    when: () => true,
    problem: 'EventStoreDB did not answer',
    remedy: 'check that it runs and that EVENTSTORE_URL has its address, with or without TLS',
  },
];

/**
 * Whether the server's error means a read from a position without an event of its log. The error has no
 * further details; measured on 23.10.
 */
export function isNoPositionOfThisLog(error: unknown): boolean {
  const { code, message } = describe(error);
  return code === UNKNOWN && message.includes('Unexpected ReadAllResult');
}

/** The stored positions do not belong to the server's log. */
export function anotherLog(cause: unknown): AnotherEventLogError {
  return new AnotherEventLogError(
    'EVENTSTORE_URL names an EventStoreDB with another log: a position stored in PostgreSQL does not belong to that ' +
      'log. Set it to the EventStoreDB that holds the events of this installation.',
    { cause },
  );
}

/** The error of an unavailable store, in words for an operator. */
export function unavailable(cause: unknown): StoreUnavailableError {
  if (cause instanceof StoreUnavailableError) return cause;
  const { message } = describe(cause);
  const { problem, remedy } = EXPLANATIONS.find(({ when }) => when(cause, message))!;
  return new StoreUnavailableError(problem, { cause, remedy });
}
