import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import getRawBody from 'raw-body';
import { DeepJsonError, MAX_JSON_DEPTH, parseJson, repeatedMember } from '#kernel/json.js';
import { yieldToEventLoop } from '#kernel/yield-to-event-loop.js';
import { asLine } from '#kernel/plain-text.js';
import { HttpError, invalidField, UNREADABLE_BODY } from '../errors.js';

/** The maximum size of a body, in bytes, unless an operation declares another. */
export const MAX_BODY_BYTES = 262_144;

/**
 * Leaves bodies as unread streams, so that guards run first; the pipe reads them with {@link readBody}.
 * Fastify's own parsers, such as that for plain text, are removed.
 */
export function leaveBodiesUnparsed(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', async (_request: FastifyRequest, stream: IncomingMessage) => stream);
}

/**
 * Reads a body, which must be JSON in UTF-8; undefined if it is empty or the request has none. Throws
 * {@link HttpError} 400, 413 above the route's limit and 415 for another type.
 */
export async function readBody(request: FastifyRequest, stream: IncomingMessage | undefined): Promise<unknown> {
  if (stream === undefined) return undefined;
  if (request.mediaType !== 'application/json') throw unsupported(UNREADABLE_BODY[415]);
  const { bodyLimit } = request.routeOptions;
  const length = request.headers['content-length'];
  const body = await getRawBody(stream, { limit: bodyLimit, ...(length === undefined ? {} : { length }) });
  assertJson(request, body);
  if (body.length > MAX_BODY_BYTES) return parseInTurns(body);
  return body.length === 0 ? undefined : parse(body.toString());
}

function assertJson(request: FastifyRequest, body: Buffer): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
    throw unsupported('Compressed bodies are not accepted.');
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') throw unsupported('The body must be JSON in UTF-8.');
  if (!isUtf8(body)) throw invalidField('body', 'is not UTF-8');
}

/**
 * Reads the body of an operation with large bodies in steps of some 20 ms, between which other requests run.
 */
async function parseInTurns(body: Buffer): Promise<unknown> {
  await yieldToEventLoop();
  const text = body.toString();
  await yieldToEventLoop();
  const value = parse(text);
  await yieldToEventLoop();
  return value;
}

/** The number of characters of a repeated member's path that an issue repeats. */
const MAX_PATH_LENGTH = 200;

function parse(text: string): unknown {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw invalidField(
      'body',
      cause instanceof DeepJsonError ? `is nested more than ${MAX_JSON_DEPTH} levels deep` : 'is not JSON',
    );
  }
  const repeated = repeatedMember(text);
  if (repeated !== null) throw invalidField(asLine(repeated, MAX_PATH_LENGTH), 'is given twice');
  return value;
}

function unsupported(message: string): HttpError {
  return new HttpError('invalid_request', { status: 415, message });
}
