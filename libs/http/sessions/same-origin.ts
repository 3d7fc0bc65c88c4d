import type { FastifyRequest } from 'fastify';
import { parsedUrl } from '#kernel/urls.js';
import { HttpError } from '../errors.js';

/**
 * Refuses a request that a page of another origin may have caused, because browsers may send the session's
 * cookie with it (OWASP ASVS 5.0, 3.5.1). Browsers report in `Sec-Fetch-Site` whether page and service have
 * the same origin; older ones send `Origin`, which is compared with `Host` and `publicUrl`. A request with
 * neither header is refused too. Throws {@link HttpError} (403).
 */
export function assertSameOrigin({ headers }: Pick<FastifyRequest, 'headers'>, publicUrl: string | null): void {
  const site = headers['sec-fetch-site'];
  const isSame = site === undefined ? isOwnOrigin(headers.origin, headers.host, publicUrl) : site === 'same-origin';
  if (isSame) return;
  throw new HttpError('permission_denied', {
    message: 'A session may only write from pages of its own origin.',
    details: [{ field: site === undefined ? 'Origin' : 'Sec-Fetch-Site', issue: 'must be the origin of this service' }],
  });
}

function isOwnOrigin(origin: string | undefined, host: string | undefined, publicUrl: string | null): boolean {
  const url = origin === undefined ? null : parsedUrl(origin);
  if (url === null || !/^https?:$/.test(url.protocol)) return false;
  return publicUrl === null ? url.host === host?.toLowerCase() : url.origin === parsedUrl(publicUrl)?.origin;
}
