import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A file for browsers: read and compressed on first use, and sent once to each browser. */
export class CompressedFile {
  private made: Promise<{ readonly tag: string; readonly plain: Buffer; readonly compressed: Buffer }> | null = null;

  /**
   * @param cacheControl the caching rules for browsers and proxies (RFC 9111, section 5.2.2); by default they
   * revalidate each time
   */
  constructor(
    private readonly path: string,
    private readonly cacheControl = 'no-cache',
  ) {}

  /**
   * Sends it with its entity tag, compressed if the browser accepts that. Throws if the file cannot be read.
   */
  async send({ headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    this.made ??= this.make();
    const { tag, plain, compressed } = await this.made;
    const vary = reply.hasHeader('vary') ? 'Origin, Accept-Encoding' : 'Accept-Encoding';
    reply.header('cache-control', this.cacheControl).header('etag', tag).header('vary', vary);
    if (headers['if-none-match'] === tag) return reply.code(304).send();
    const takesGzip = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
    return takesGzip ? reply.header('content-encoding', 'gzip').send(compressed) : reply.send(plain);
  }

  private async make(): Promise<{ readonly tag: string; readonly plain: Buffer; readonly compressed: Buffer }> {
    const plain = await readFile(this.path);
    return { tag: `"${hash('sha256', plain, 'base64url')}"`, plain, compressed: await promisify(gzip)(plain) };
  }
}
