import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import getRawBody from 'raw-body';
import { DeepJsonError, MAX_JSON_DEPTH, parseJson, repeatedMember } from '#kernel/json.js';
import { yieldToEventLoop } from '#kernel/yield-to-event-loop.js';
import { asLine } from '#kernel/plain-text.js';
import { HttpError, invalidField, UNREADABLE_BODY } from '../errors.js';

/** The largest body, in bytes, of an operation that declares no other. */
export const MAX_BODY_BYTES = 262_144;

/**
 * Leaves the bodies of operations as unread streams, so that guards come first: the pipe reads them with
 * {@link readBody}. Other routes get them parsed. Fastify's own parsers, such as the one for plain text, are
 * removed.
 */
export function leaveBodiesUnparsed(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', async (request: FastifyRequest, stream: IncomingMessage) =>
    request.routeOptions.config.operation === undefined ? readBody(request, stream) : stream,
  );
}

/**
 * Reads a body, which must be JSON in UTF-8; undefined where it is empty or the request has none. Throws
 * {@link HttpError} 400, 413 for one beyond the route's limit and 415 for any other type.
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
    throw unsupported('Compressed bodies are not taken.');
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') throw unsupported('The body must be JSON in UTF-8.');
  if (!isUtf8(body)) throw invalidField('body', 'is not UTF-8');
}

/**
 * Reads the body of an operation that takes large ones: other requests have their turns between the steps,
 * each of which takes some 20 ms.
 */
async function parseInTurns(body: Buffer): Promise<unknown> {
  await yieldToEventLoop();
  const text = body.toString();
  await yieldToEventLoop();
  const value = parse(text);
  await yieldToEventLoop();
  return value;
}

/** The part of the path of a repeated member that an issue repeats, in characters. */
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
