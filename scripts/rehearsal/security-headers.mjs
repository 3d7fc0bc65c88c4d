/** The headers that the proxy adds to every response. */
export function hasSecurityHeaders({ headers }) {
  return ['strict-transport-security', 'x-content-type-options', 'referrer-policy', 'content-security-policy'].every(
    (name) => headers[name] !== undefined,
  );
}
