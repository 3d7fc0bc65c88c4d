import { type IncomingMessage, type Server, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody, HttpError, UNREADABLE_REQUEST } from '../errors.js';

/** Errors of Node's parser with a status other than 400. */
const STATUSES: Readonly<Record<string, { readonly status: number; readonly message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: UNREADABLE_REQUEST[431] },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The request is too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: UNREADABLE_REQUEST[408] },
};

/** Answers bytes that are not a valid request in the envelope, and closes the connection. */
export function answerMalformed(error: NodeJS.ErrnoException, socket: Duplex, requestId: string): void {
  // Part of another response may already be sent, which this response would corrupt.
  const isAnswering = (socket as { _httpMessage?: { headersSent: boolean } })._httpMessage?.headersSent === true;
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) {
    socket.destroy();
    return;
  }
  const { status, message } = STATUSES[error.code ?? ''] ?? { status: 400, message: 'The request is not valid HTTP.' };
  writeRaw(socket, new HttpError('invalid_request', { status, message }), requestId);
}

/**
 * Answers CONNECT, which never reaches a route. Requests with an unknown expectation (RFC 9110, section
 * 10.1.1) are handled as usual.
 */
export function answerConnectRequests(server: Server, nextRequestId: () => string): void {
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    writeRaw(
      socket,
      new HttpError('invalid_request', { status: 405, message: `This service does not support ${request.method}.` }),
      nextRequestId(),
    );
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

function writeRaw(socket: Duplex, error: HttpError, requestId: string): void {
  const body = errorBody(error, requestId);
  const lines = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `Service-Request-Id: ${requestId}`,
    ...(error.status === 405 ? ['Allow: GET, HEAD, POST, PATCH, DELETE'] : []),
    'Connection: close',
  ];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
