import type { FastifyReply } from 'fastify';

/**
 * Sends a file of the build by `@fastify/static`, compressed where the build wrote that as well. Browsers keep
 * a file whose name changes with its content, and revalidate others each time (RFC 9111, section 5.2.2).
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
