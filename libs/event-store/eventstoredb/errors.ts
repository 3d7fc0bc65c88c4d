import { AnotherEventLogError, InvalidAppendError, StoreUnavailableError } from '../event-store.js';

/**
 * gRPC codes after which nothing is known of the outcome: cancelled, deadline exceeded, resource exhausted,
 * aborted, internal (a reset stream), unavailable.
 */
const UNKNOWN_OUTCOME_CODES = [1, 4, 8, 10, 13, 14];
const UNKNOWN_OUTCOME_TYPES = ['timeout', 'deadline-exceeded', 'unavailable', 'cancelled', 'not-leader'];
const UNKNOWN = 2;
const DEADLINE_EXCEEDED = 4;
const ACCESS_DENIED_CODES = [7, 16];

/**
 * Said without code or type: by a starting server, by a channel that another call's failure closed, by
 * discovery, in an election.
 */
const UNKNOWN_OUTCOME_MESSAGES =
  /Server Is Not Ready|Server Is Too Busy|Channel has been shut down|closed channel|Failed to discover|No leader info/i;

/**
 * The store's answer did not come in time; judged by a timer of our own, for calls whose deadline the client
 * ignores.
 */
export class NoAnswerError extends Error {
  constructor(milliseconds: number) {
    super(`no answer within ${milliseconds} ms`);
    this.name = 'NoAnswerError';
  }
}

/**
 * What an error of the client contains. Plain errors (the capability probe's) have a code and no type.
 */
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
 * The error of an append: {@link InvalidAppendError} where the server says that it is too large, any other
 * one as it is.
 */
export function appendError(error: unknown): unknown {
  const isTooLarge = describe(error).type === 'maximum-append-size-exceeded';
  return isTooLarge ? new InvalidAppendError('the append is over the limit of the server') : error;
}

/** Whether the call may or may not have taken effect, and may succeed when it is made again. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof AnotherEventLogError) return false;
  if (error instanceof NoAnswerError || error instanceof StoreUnavailableError) return true;
  const { type, code, message } = describe(error);
  if (UNKNOWN_OUTCOME_TYPES.includes(type)) return true;
  if (code !== null && UNKNOWN_OUTCOME_CODES.includes(code)) return true;
  return UNKNOWN_OUTCOME_MESSAGES.test(message);
}

/** Whether nothing came back at all, in the time that there was. */
export function hasNoAnswer(error: unknown): boolean {
  return error instanceof NoAnswerError || describe(error).code === DEADLINE_EXCEEDED;
}

/** Whether the server refused the user, or what the user wants to do. */
export function isAccessDenied(error: unknown): boolean {
  const { type, code } = describe(error);
  return type === 'access-denied' || (code !== null && ACCESS_DENIED_CODES.includes(code));
}

/** Whether the error is the client's, of this type. */
export function isOfType(
  error: unknown,
  type: 'stream-not-found' | 'stream-deleted' | 'wrong-expected-version',
): boolean {
  return describe(error).type === type;
}

interface Explanation {
  readonly when: (error: unknown, message: string) => boolean;
  readonly what: string;
  readonly remedy: string;
}

const said =
  (pattern: RegExp) =>
  (_: unknown, message: string): boolean =>
    pattern.test(message);

/**
 * What is wrong, and what an operator does about it; the first that fits. The message of the client names
 * nodes, and never the user or the password.
 */
const EXPLANATIONS: readonly Explanation[] = [
  {
    when: isAccessDenied,
    what: 'EventStoreDB refuses the user or the password',
    remedy: 'check user and password in EVENTSTORE_URL, and that the user may read and write all streams',
  },
  {
    when: said(/wrong version number|packet length too long|unexpected message/i),
    what: 'EventStoreDB does not speak TLS',
    remedy: 'let the server speak TLS, or add tls=false to EVENTSTORE_URL',
  },
  {
    when: said(/certificate has expired|CERT_HAS_EXPIRED|not yet valid/i),
    what: 'the certificate of EventStoreDB is out of date',
    remedy: 'renew the certificate of the server, and check both clocks',
  },
  {
    when: said(/altname|Hostname\/IP/i),
    what: 'the certificate of EventStoreDB is for another name',
    remedy: 'name the nodes in EVENTSTORE_URL as their certificates do',
  },
  {
    when: said(/certificate required|bad certificate|handshake failure/i),
    what: 'EventStoreDB asks for a certificate of the user, or does not take it',
    remedy: 'set userCertFile and userKeyFile in EVENTSTORE_URL',
  },
  {
    when: said(/certificate|CERT_|issuer/i),
    what: 'the certificate of EventStoreDB is not trusted',
    remedy: 'name the authority that signed it in tlsCAFile of EVENTSTORE_URL',
  },
  {
    when: said(/ENOTFOUND|EAI_AGAIN|Name resolution failed/i),
    what: 'the name of an EventStoreDB node is not known',
    remedy: 'check the nodes in EVENTSTORE_URL and the name server',
  },
  {
    when: said(/Failed to discover/i),
    what: 'no node of EventStoreDB answered who leads the cluster',
    remedy: 'check that the nodes in EVENTSTORE_URL run and have elected a leader, and tls and tlsCAFile',
  },
  {
    when: said(/Not Ready|Too Busy|No leader info/i),
    what: 'EventStoreDB is starting, electing a leader or too busy',
    remedy: 'wait; if it lasts, look at the log of the server',
  },
  {
    when: (error) => describe(error).type === 'not-leader',
    what: 'EventStoreDB is changing its leader',
    remedy: 'wait; if it lasts, look at the log of the cluster',
  },
  {
    when: said(/ECONNREFUSED/),
    what: 'nothing listens where EventStoreDB should',
    remedy: 'start EventStoreDB, or check the nodes in EVENTSTORE_URL',
  },
  {
    when: hasNoAnswer,
    what: 'EventStoreDB takes calls and does not answer',
    remedy: 'look at its load, its disk and its log; restart the node if it hangs',
  },
  {
    when: () => true,
    what: 'EventStoreDB did not answer',
    remedy: 'check that it runs and that EVENTSTORE_URL says where, with or without TLS',
  },
];

/**
 * Whether a server answered so to a read from a position at which no event of its log is. It says nothing
 * more; measured on 23.10.
 */
export function isNoPositionOfThisLog(error: unknown): boolean {
  const { code, message } = describe(error);
  return code === UNKNOWN && message.includes('Unexpected ReadAllResult');
}

/** That positions which are stored here are none of the server's log. */
export function anotherLog(cause: unknown): AnotherEventLogError {
  return new AnotherEventLogError(
    'EVENTSTORE_URL names an EventStoreDB with another log: a position that PostgreSQL stores is none of that log. Set it to the EventStoreDB that holds the events of this installation.',
    { cause },
  );
}

/** That the store is away, in words for an operator. */
export function unavailable(cause: unknown): StoreUnavailableError {
  if (cause instanceof StoreUnavailableError) return cause;
  const { message } = describe(cause);
  const { what, remedy } = EXPLANATIONS.find(({ when }) => when(cause, message))!;
  return new StoreUnavailableError(what, { cause, remedy });
}
