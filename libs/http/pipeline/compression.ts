import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { negotiate } from '@fastify/accept-negotiator';

/** In bytes: a smaller response fits into one network packet, compressed or not. */
const MIN_BYTES = 1_024;
/**
 * Compressible types. Images are already compressed, and an event stream must not wait for its next event.
 */
const COMPRESSIBLE = /^(?:application\/json|image\/svg\+xml|text\/(?!event-stream))/;
/** In order of preference among encodings that the caller accepts equally. */
const ENCODINGS = ['br', 'gzip'] as const;
/** About as fast as gzip; the default, 11, takes seconds for a megabyte. */
const BROTLI_QUALITY = 4;

const brotli = promisify(brotliCompress);
const COMPRESSORS: Readonly<Record<(typeof ENCODINGS)[number], (body: string | Buffer) => Promise<Buffer>>> = {
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: promisify<string | Buffer, Buffer>(gzip),
};

/**
 * Compresses responses of more than 1 KiB for callers that accept it (RFC 9110, section 12.5.3), outside the
 * event loop. Entity tags do not change: they identify the content, not its encoding. `@fastify/compress`
 * omits `Vary` if the caller accepts no encoding, skips responses without a route, and compresses within the
 * event loop or without `Content-Length`. Call this before any route is registered.
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

/** A response with `Vary` has already chosen its encoding. */
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

/** Tells caches between the service and its caller that the encoding depends on the request. */
function vary(reply: FastifyReply): void {
  reply.header('vary', [...variesBy(reply), 'Accept-Encoding'].join(', '));
}

function variesBy(reply: FastifyReply): readonly string[] {
  const names = String(reply.getHeader('vary') ?? '');
  return names === '' ? [] : names.split(', ');
}
