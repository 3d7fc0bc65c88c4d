import type { FastifyRequest } from 'fastify';
import { parsedUrl } from '#kernel/urls.js';

/** A host as defined in RFC 9110, section 7.2: a name or an address, and an optional port. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]{1,5})?$/i;

/**
 * Returns the address at which the caller reached this listener, such as `http://hr.example:3000`. It comes from the Host header,
 * which affects only the caller's own answer. Without a valid Host header, it is the connection's own address. Of the headers
 * that proxies add, only `X-Forwarded-Proto` of a trusted proxy counts.
 */
export function addressOf(request: Pick<FastifyRequest, 'protocol' | 'headers' | 'socket'>): string {
  const { host } = request.headers;
  if (host !== undefined && HOST.test(host) && parsedUrl(`http://${host}`) !== null) return `${request.protocol}://${host}`;
  const { localAddress = '127.0.0.1', localPort } = request.socket;
  return `${request.protocol}://${localAddress.includes(':') ? `[${localAddress}]` : localAddress}:${localPort}`;
}
