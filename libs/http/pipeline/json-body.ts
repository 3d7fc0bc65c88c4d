import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { HttpError } from '../errors.js';

/** The largest body, in bytes. */
export const MAXIMUM_BODY_BYTES = 262_144;

/** Takes JSON in UTF-8 and nothing else: Fastify's own parsers, for plain text among others, are removed. */
export function acceptOnlyJson(fastify: FastifyInstance): void {
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer', bodyLimit: MAXIMUM_BODY_BYTES }, (request, body, done) => {
    try {
      done(null, parse(request, body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parse(request: FastifyRequest, body: Buffer): unknown {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') throw unsupported('Compressed bodies are not taken.');
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') throw unsupported('The body must be JSON in UTF-8.');
  if (body.length === 0) return undefined;
  if (!isUtf8(body)) throw new HttpError('invalid_request', { details: [{ field: 'body', issue: 'is not UTF-8' }] });
  try {
    return JSON.parse(body.toString('utf8')) as unknown;
  } catch (cause) {
    throw new HttpError('invalid_request', { details: [{ field: 'body', issue: 'is not JSON' }], cause });
  }
}

function unsupported(message: string): HttpError {
  return new HttpError('invalid_request', { status: 415, message });
}
