import ipaddr from 'ipaddr.js';
import { parsedUrl } from '#kernel/urls.js';

/** The problem of a value, worded to follow the variable's name; null if there is none. */
export type Check = (value: string) => string | null;

/** An address to listen on, or a name of this machine. */
export const hostCheck: Check = (value) => {
  const isHost = ipaddr.isValid(value)
    ? !/^[\d.]+$/.test(value) || ipaddr.IPv4.isValidFourPartDecimal(value)
    : isHostName(value);
  return isHost ? null : `must be an address such as 127.0.0.1, ::1 or 0.0.0.0, or a host name, not "${value}"`;
};

/** The characters of an `Authorization` header, and a length that cannot be guessed. */
export const tokenCheck: Check = (value) => {
  if (value.length < 16) return 'must have 16 characters or more';
  return /^[\x21-\x7e]+$/.test(value) ? null : 'must have letters, digits and signs of ASCII only, without spaces';
};

/** Base64 of 32 bytes. */
export const masterKeyCheck: Check = (value) => {
  const bytes = Buffer.from(value, 'base64');
  return bytes.length === 32 && bytes.toString('base64') === value
    ? null
    : 'must be the base64 of 32 bytes, as "openssl rand -base64 32" prints it';
};

/**
 * Written out in full, with no bits below the prefix: `10.1/16` or `10.1.2.3/8` probably means another range.
 */
export const cidrCheck: Check = (value) => {
  const isRange = ipaddr.IPv4.isValidCIDRFourPartDecimal(value) || ipaddr.IPv6.isValidCIDR(value);
  if (!isRange || value.includes('%'))
    return `must hold address ranges such as 127.0.0.0/8 or fd00::/8, not "${value}"`;
  const [address, prefix] = ipaddr.parseCIDR(value);
  const network = (address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(value);
  return network.toNormalizedString() === address.toNormalizedString()
    ? null
    : `has "${value}", whose range is ${network.toString()}/${prefix}`;
};

/** An address to which the program appends a path. */
export const webAddressCheck: Check = (value) => {
  const url = parsedUrl(value);
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === '' && !/[?#]/.test(value);
  return isPlain ? null : 'must be a URL that starts with https:// or http://, without user, query and fragment';
};

/**
 * An origin as browsers write it in the header `Origin` (RFC 6454, section 6.2). A list of origins is the
 * only permission: no `*`, no `null`.
 */
export const originCheck: Check = (value) => {
  if (value === '*') return 'must list each origin: * would allow every page of the web';
  if (value === 'null')
    return 'must not contain null: every page in a sandboxed frame and every local file has that origin';
  const url = parsedUrl(value);
  if (
    url === null ||
    !/^https?:$/.test(url.protocol) ||
    url.username + url.password !== '' ||
    url.hostname.includes('*')
  ) {
    return `must hold origins such as https://hr.example.com, not "${value}"`;
  }
  return url.origin === value ? null : `has "${value}", whose origin is written ${url.origin}`;
};

const POSTGRES_SCHEMES = ['postgres:', 'postgresql:'];
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

/** The address of a PostgreSQL server in its client's form. Repeats no part of it. */
export const databaseUrlCheck: Check = (value) => {
  const url = serverUrl(value, POSTGRES_SCHEMES);
  if (typeof url === 'string') return url;
  if (url.pathname.slice(1).includes('/')) return 'must name one database after the server';
  const mode = url.searchParams.get('sslmode');
  return mode === null || SSL_MODES.includes(mode) ? null : `must have an sslmode of ${SSL_MODES.join(', ')}`;
};

/** The address of a Redis. Repeats no part of it. */
export const redisUrlCheck: Check = (value) => {
  const url = serverUrl(value, ['redis:', 'rediss:']);
  if (typeof url === 'string') return url;
  if (url.hostname === '') return 'must name a server';
  return /^\/?\d{0,6}$/.test(url.pathname)
    ? null
    : 'must end with the number of a database, such as /0, or without one';
};

const ESCAPED = 'in a password, write each of :/?#[]@% and spaces as % and two hexadecimal digits';
const BAD_ESCAPE = `has a % without two hexadecimal digits of UTF-8 after it; ${ESCAPED}`;

/** The URL, or its problem. */
function serverUrl(value: string, schemes: readonly string[]): URL | string {
  const scheme = /^([a-z+]+:)\/\//i.exec(value)?.[1]?.toLowerCase();
  if (scheme === undefined || !schemes.includes(scheme)) return `must be a URL that starts with ${schemes[0]}//`;
  const url = parsedUrl(value);
  if (url === null) return `cannot be parsed as a URL: check its port; ${ESCAPED}`;
  if (/[\s#]/.test(value)) return `contains a space or a #; ${ESCAPED}`;
  return [url.username, url.password, url.pathname, url.search].every(isUnescapable) ? url : BAD_ESCAPE;
}

/** Whether every `%` begins an escape, and the escapes are UTF-8. */
function isUnescapable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isHostName(text: string): boolean {
  return /^(?!-)[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/i.test(text) && text.length <= 253 && !/^[\d.]+$/.test(text);
}
