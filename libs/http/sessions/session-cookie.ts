import type { FastifyRequest } from 'fastify';
import { isLoopbackHost } from '#kernel/urls.js';

type Request = Pick<FastifyRequest, 'protocol' | 'headers'>;

/**
 * How a browser reaches the service. `secure`: by HTTPS, so that cookies have the prefix `__Host-`, which
 * other hosts and pages without TLS cannot set. `loopback`: by HTTP on the same machine, where browsers allow
 * neither the prefix nor `Secure`. Null: by HTTP over a network, where a session would be readable, so
 * sessions are refused.
 */
export type Transport = 'secure' | 'loopback' | null;

/**
 * Returns the transport of a request. `publicUrl`: the address of the service for browsers; null if it is
 * known only from the request.
 */
export function transportOf({ protocol, headers }: Request, publicUrl: string | null): Transport {
  if (publicUrl?.startsWith('https:') === true || protocol === 'https') return 'secure';
  const name = /^(\[[0-9a-f:]+\]|[^:]+)(:\d+)?$/i.exec(headers.host ?? '')?.[1] ?? '';
  return isLoopbackHost(name) ? 'loopback' : null;
}

/** Returns the name of a cookie as the transport allows it. */
function nameOf(name: string, transport: NonNullable<Transport>): string {
  return transport === 'secure' ? `__Host-workforce_${name}` : `workforce_${name}`;
}

/** Returns the value of a cookie of the service; null if the request has none. */
export function readCookie({ headers }: Pick<Request, 'headers'>, name: string, transport: Transport): string | null {
  if (transport === null) return null;
  const start = `${nameOf(name, transport)}=`;
  const found = (headers.cookie ?? '').split(';').find((pair) => pair.trim().startsWith(start));
  return found === undefined ? null : found.trim().slice(start.length);
}

/** The attributes that differ between cookies. */
export interface CookieOptions {
  readonly transport: NonNullable<Transport>;
  /** `Lax` if the browser must send it when another site redirects back. */
  readonly sameSite: 'Strict' | 'Lax';
  /** In seconds; 0 removes the cookie. */
  readonly maximumAge: number;
}

/** Returns the value of `Set-Cookie`: for this host only, and not readable by scripts. */
export function cookieText(name: string, value: string, { transport, sameSite, maximumAge }: CookieOptions): string {
  const secure = transport === 'secure' ? '; Secure' : '';
  return `${nameOf(name, transport)}=${value}; Path=/; Max-Age=${maximumAge}; HttpOnly; SameSite=${sameSite}${secure}`;
}

/** The cookie that holds the token of a session. */
export const SESSION_COOKIE = 'session';

/** Whether a text has the form of a token, so that other texts need no look-up. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Returns the session token of a request; null if it has none. */
export function sessionTokenOf(request: Request, publicUrl: string | null): string | null {
  if (request.headers.cookie === undefined) return null;
  const token = readCookie(request, SESSION_COOKIE, transportOf(request, publicUrl));
  return token === null || !isToken(token) ? null : token;
}
