/** Bytes that a caller brings back, and the version of the key that they are authenticated with. */
export interface VersionedToken {
  readonly version: number;
  readonly bytes: Buffer;
}

/** What a text that is no token of ours says. */
export const NOTHING: VersionedToken = { version: 0, bytes: Buffer.alloc(0) };

/** The text: base64url, with the version and a dot in front. The first version has neither, as tokens had none before keys had versions. */
export function versioned(version: number, bytes: Buffer): string {
  const text = bytes.toString('base64url');
  return version === 1 ? text : `${version}.${text}`;
}

/** What {@link versioned} made; {@link NOTHING} for any other text, a second spelling of the same among them. */
export function unversioned(token: string): VersionedToken {
  const [, version, text = ''] = /^(?:([1-9]\d{0,3})\.)?([\w-]+)$/.exec(token) ?? [];
  if (version === '1') return NOTHING;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? { version: Number(version ?? 1), bytes } : NOTHING;
}
