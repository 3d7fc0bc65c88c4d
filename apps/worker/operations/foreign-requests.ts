import type { FastifyRequest } from 'fastify';
import type { OperatorHook } from './operator-token.js';

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;
const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a request names this machine. Without a token only the address protects the listener, and a page in
 * a browser may reach that address under the name of another site (DNS rebinding). Browsers always send
 * `Host`; a request without it is a program's.
 *
 * @param configured - the host on which the installation listens (`HOST`)
 */
export function isOwnHost({ headers: { host } }: Pick<FastifyRequest, 'headers'>, configured: string): boolean {
  return (
    host === undefined ||
    LOOPBACK_HOST.test(host) ||
    host.replace(/:\d{1,5}$/, '').toLowerCase() === configured.toLowerCase()
  );
}

/**
 * Creates the hook that answers 403 to a request that does not name this machine, except on the given paths.
 */
export function refuseForeignHosts(configured: string, except: ReadonlySet<string>): OperatorHook {
  return async (request, reply) => {
    if (except.has(request.routeOptions.url ?? '') || isOwnHost(request, configured)) return;
    await reply
      .code(403)
      .send({ message: 'Without OPS_TOKEN this listener answers only at localhost or a loopback address.' });
  };
}

/**
 * Refuses a change that a page of another site may have caused: browsers also send HTTP Basic credentials
 * with such a request. Programs send no `Sec-Fetch-Site` and no `Origin`.
 */
export const refuseForeignPages: OperatorHook = async ({ method, headers }, reply) => {
  if (READING.has(method)) return;
  const site = headers['sec-fetch-site'];
  const isForeign =
    site === undefined ? headers.origin !== undefined && !isOwn(headers.origin, headers.host) : site !== 'same-origin';
  if (isForeign) await reply.code(403).send({ message: 'Changes are accepted only from pages of this listener.' });
};

function isOwn(origin: string, host: string | undefined): boolean {
  return /^https?:\/\//.test(origin) && origin.slice(origin.indexOf('//') + 2) === host;
}
