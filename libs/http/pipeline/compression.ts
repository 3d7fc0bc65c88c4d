import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { negotiate } from '@fastify/accept-negotiator';

/** In bytes: a smaller answer fits into one packet of the network, compressed or not. */
const MIN_BYTES = 1_024;
/**
 * What gets smaller. Pictures are compressed already, and an event of a stream must not wait for the next
 * one.
 */
const COMPRESSIBLE = /^(?:application\/json|image\/svg\+xml|text\/(?!event-stream))/;
/** In the order in which they are chosen where a caller takes both alike. */
const ENCODINGS = ['br', 'gzip'] as const;
/** About as fast as gzip; the default, 11, takes seconds for a megabyte. */
const BROTLI_QUALITY = 4;

const brotli = promisify(brotliCompress);
const COMPRESSORS: Readonly<Record<(typeof ENCODINGS)[number], (body: string | Buffer) => Promise<Buffer>>> = {
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify<string | Buffer, Buffer>(gzip),
};

/**
 * Compresses answers of more than 1 KiB for callers that take it (RFC 9110, section 12.5.3), outside the
 * event loop. Entity tags stay as they are: they name what an answer says, not its bytes. `@fastify/compress`
 * leaves out `Vary` where a caller takes no encoding, skips answers without a route, and compresses within
 * the event loop or without `Content-Length`. Call it before any route is registered.
 */
export function compressAnswers(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (!isCompressible(reply, payload)) {
      done(null, payload);
      return;
    }
    vary(reply);
    const encoding = encodingFor(request.headers['accept-encoding']);
    if (encoding === null) {
      done(null, payload);
      return;
    }
    COMPRESSORS[encoding](payload).then((compressed) => {
      reply.header('content-encoding', encoding).removeHeader('content-length');
      done(null, compressed);
    }, done);
  });
}

/** An answer that says what it varies by has chosen its encoding already. */
function isCompressible(reply: FastifyReply, payload: unknown): payload is string | Buffer {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return false;
  if (Buffer.byteLength(payload) <= MIN_BYTES) return false;
  if (!COMPRESSIBLE.test(String(reply.getHeader('content-type')))) return false;
  return !reply.hasHeader('content-encoding') && !variesBy(reply).includes('Accept-Encoding');
}

function encodingFor(accepted: string | string[] | undefined): (typeof ENCODINGS)[number] | null {
  if (accepted === undefined) return null;
  const chosen = negotiate(String(accepted), [...ENCODINGS]);
  return ENCODINGS.find((encoding) => encoding === chosen) ?? null;
}

/**
 * Says that the encoding of an answer depends on the request, for caches between the service and its caller.
 */
function vary(reply: FastifyReply): void {
  reply.header('vary', [...variesBy(reply), 'Accept-Encoding'].join(', '));
}

function variesBy(reply: FastifyReply): readonly string[] {
  const names = String(reply.getHeader('vary') ?? '');
  return names === '' ? [] : names.split(', ');
}
