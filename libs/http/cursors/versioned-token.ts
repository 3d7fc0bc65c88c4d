/** Bytes that the caller received and sends back, and the version of the key that authenticates them. */
export interface VersionedToken {
  readonly version: number;
  readonly bytes: Buffer;
}

/** The result for a text that is not a token of this service. */
export const NOTHING: VersionedToken = { version: 0, bytes: Buffer.alloc(0) };

/**
 * Returns the token as text: base64url after the version and a dot. Version 1 has no prefix, because tokens
 * are older than key versions.
 */
export function versioned(version: number, bytes: Buffer): string {
  const text = bytes.toString('base64url');
  return version === 1 ? text : `${version}.${text}`;
}

/**
 * Parses a text that {@link versioned} made. Returns {@link NOTHING} for any other text, including a second
 * spelling of the same token.
 */
export function unversioned(token: string): VersionedToken {
  const [, version, text = ''] = /^(?:([1-9]\d{0,3})\.)?([\w-]+)$/.exec(token) ?? [];
  if (version === '1') return NOTHING;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? { version: Number(version ?? 1), bytes } : NOTHING;
}
