import { ConnectError } from './connections.js';
import { UrlRefusedError } from '../url-guard/url-guard.js';

/** The receiver did not answer within the time limit of the attempt. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** The receiver sent the maximum number of bytes without a response. */
export class TooMuchError extends Error {
  override readonly name = 'TooMuchError';
}

/** The connection was established, and the exchange over it failed. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';

  constructor(
    /** An error code of the system, TLS or Node's parser, such as `ECONNRESET`. */
    readonly code: string,
  ) {
    super(`no answer: ${code}`);
  }
}

/** The errors of an attempt without a status. */
export type NetworkError = UrlRefusedError | ConnectError | ExchangeError | NoAnswerError | TooMuchError;

/**
 * Whether the attempt failed because of the network or the receiver, and not because of a programming error.
 */
export function isNetworkError(error: unknown): error is NetworkError {
  return [UrlRefusedError, ConnectError, ExchangeError, NoAnswerError, TooMuchError].some(
    (kind) => error instanceof kind,
  );
}

/** The cause of a failed delivery, and whether a retry makes sense. */
export type FailureClass = 'network' | 'http_retryable' | 'http_non_retryable';

/**
 * The status of a receiver that wants no more events: it fails the delivery and disables the endpoint
 * (Standard Webhooks).
 */
export const GONE = 410;

/**
 * Classifies a status other than 2xx (contract part 6, delivery behaviour; redirects are not followed, but
 * may be corrected).
 */
export function failureClassOf(httpStatus: number): FailureClass {
  if (httpStatus === 408 || httpStatus === 429) return 'http_retryable';
  return httpStatus >= 400 && httpStatus < 500 ? 'http_non_retryable' : 'http_retryable';
}

const TCP_SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  EPEER: 'the connection led elsewhere',
};

const TLS_SENTENCES: Readonly<Record<string, string>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ETOOLONG: 'the TLS handshake was longer than 64 KiB',
  CERT_NOT_YET_VALID: 'the certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate authority is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate authority is not trusted',
  UNABLE_TO_GET_ISSUER_CERT: 'the certificate authority is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'the certificate authority is not trusted, or an intermediate certificate is missing',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'the certificate authority is not trusted, or an intermediate certificate is missing',
};

/**
 * The reason for a missing response, as a fixed sentence of at most 200 characters, without addresses or text
 * of the receiver.
 * @param limits - milliseconds
 */
export function failureMessageOf(
  error: NetworkError,
  limits: { readonly connectMs: number; readonly attemptMs: number },
): string {
  if (error instanceof UrlRefusedError) return error.message;
  if (error instanceof NoAnswerError) return `no answer within ${seconds(limits.attemptMs)}`;
  if (error instanceof TooMuchError) return 'more than 64 KiB arrived without an answer';
  if (error instanceof ConnectError) return connectSentence(error, limits.connectMs);
  if (error.code.startsWith('HPE_')) return 'the answer was not HTTP/1.1, or its headers were too large';
  return isReset(error) ? 'the connection was closed without an answer' : 'the connection failed';
}

/** Whether the peer closed the connection. */
export function isReset(error: unknown): boolean {
  return error instanceof ExchangeError && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

function connectSentence({ code, stage }: ConnectError, connectMs: number): string {
  if (code === 'ETIMEDOUT') return `no connection within ${seconds(connectMs)}`;
  return stage === 'tcp'
    ? (TCP_SENTENCES[code] ?? 'no connection could be established')
    : (TLS_SENTENCES[code] ?? 'no TLS connection could be established');
}

function seconds(milliseconds: number): string {
  return `${milliseconds / 1_000} s`;
}
