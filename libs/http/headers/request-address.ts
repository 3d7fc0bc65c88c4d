import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { parsedUrl } from '#kernel/urls.js';

/** A host as RFC 9110, section 7.2, has it: a name or an address, and maybe a port. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;

/**
 * Where the caller reached this listener, such as `http://hr.example:3000`: by the Host header, which a caller can only
 * set for itself; by the connection's own address where there is none, or one that is no host. Of what
 * proxies say only a trusted one's `X-Forwarded-Proto` counts.
 */
export function addressOf(request: Pick<FastifyRequest, 'protocol' | 'headers' | 'socket'>): string {
  const { host } = request.headers;
  if (host !== undefined && HOST.test(host) && parsedUrl(`http://${host}`) !== null) return `${request.protocol}://${host}`;
  const { localAddress = '127.0.0.1', localPort } = request.socket;
  return `${request.protocol}://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}

/** Hands {@link addressOf} to a controller's method. */
export const RequestAddress = createParamDecorator((_: unknown, context: ExecutionContext) =>
  addressOf(context.switchToHttp().getRequest<FastifyRequest>()),
);
