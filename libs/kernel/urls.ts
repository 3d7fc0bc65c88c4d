/**
 * Parses a URL; returns null for an invalid text. It does not use `URL.canParse`: after optimisation, that
 * function of Node 20 rejects letters of Latin-1 beyond ASCII.
 */
export function parsedUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

/**
 * Whether a host name of a URL is always this machine (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3; RFC
 * 4291, section 2.5.3).
 */
export function isLoopbackHost(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(hostname);
}
