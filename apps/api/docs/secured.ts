import type { FastifyReply } from 'fastify';

/** Adds a content security policy (CSP Level 3) and the headers that go with it. */
export function secured(reply: FastifyReply, policy: string): FastifyReply {
  return reply
    .header('content-security-policy', policy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer');
}
