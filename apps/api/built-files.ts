import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { programRoot } from '#embedded-postgres/program-root.js';

const BUILD = join(programRoot(), 'dist');

/** The path of files of the build, such as `docs`. */
export function builtFiles(...path: readonly string[]): string {
  return join(BUILD, ...path);
}

/**
 * Lets replies send files of the build by `@fastify/static`; compressed if the build has a compressed copy.
 */
export function serveBuiltFiles(fastify: FastifyInstance): void {
  void fastify.register(fastifyStatic, { root: BUILD, serve: false, preCompressed: true });
}

/**
 * Sends a file of the build. Browsers cache a file whose name changes with its content, and revalidate others
 * each time (RFC 9111, section 5.2.2).
 */
export function sendBuilt(
  reply: FastifyReply,
  file: string,
  { isImmutable, contentType = true }: { readonly isImmutable: boolean; readonly contentType?: boolean },
): FastifyReply {
  return reply
    .header('vary', reply.hasHeader('vary') ? 'Origin, Accept-Encoding' : 'Accept-Encoding')
    .sendFile(file, { maxAge: isImmutable ? '365d' : 0, immutable: isImmutable, contentType });
}
