import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { canonicalJson, type JsonObject, parseJson } from '#kernel/json.js';

/** The content of an anchor, with the names of its signed text: storage format. */
export interface AnchorDocument {
  readonly format: typeof ANCHOR_FORMAT;
  /** From 1, without gaps. */
  readonly number: number;
  readonly created_at: string;
  /** The total number of events up to its end. */
  readonly events: number;
  /** The number of events that it added to the previous anchor. */
  readonly added: number;
  /** Digest of its record of these events; see `record.ts`. */
  readonly record: string;
  /** Digest of the previous anchor; null for the first. */
  readonly previous: string | null;
  /** The last event that it covers. */
  readonly last: {
    readonly stream: string;
    readonly revision: number;
    readonly hash: string;
    readonly recorded_at: string;
  };
  /** Ed25519, 32 bytes, base64url. */
  readonly public_key: string;
}

/** A signed anchor: the exact signed text, and the signature (base64url). */
export interface Anchor {
  readonly text: string;
  readonly signature: string;
  readonly document: AnchorDocument;
}

const ANCHOR_FORMAT = 'workforce-history-anchor/1';

/** The key that anchors are signed with. */
export interface AnchorKey {
  readonly privateKey: KeyObject;
  /** 32 bytes, base64url. */
  readonly publicKey: string;
}

/** The prefix of the 32 bytes in DER: PKCS #8 and SubjectPublicKeyInfo of Ed25519 (RFC 8410). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

/** The key derived from a seed of 32 bytes. */
export function anchorKeyOf(seed: Buffer): AnchorKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const der = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return { privateKey, publicKey: der.subarray(PUBLIC_PREFIX.length).toString('base64url') };
}

/** Whether a text is a public key: 32 bytes, base64url. */
export function isPublicKey(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** Signs the content of an anchor. */
export function signAnchor(document: Omit<AnchorDocument, 'format' | 'public_key'>, key: AnchorKey): Anchor {
  const complete: AnchorDocument = { format: ANCHOR_FORMAT, ...document, public_key: key.publicKey };
  const text = canonicalJson(complete as unknown as JsonObject);
  return { text, signature: sign(null, Buffer.from(text), key.privateKey).toString('base64url'), document: complete };
}

/** Parses the anchor of a signed text; null if it is not one. The signature is not verified. */
export function anchorOf(text: string, signature: string): Anchor | null {
  try {
    const document = parseJson(text) as AnchorDocument;
    return document.format === ANCHOR_FORMAT && Number.isInteger(document.number)
      ? { text, signature, document }
      : null;
  } catch {
    return null;
  }
}

/** Whether one of these keys signed the anchor. */
export function isSignedBy({ text, signature }: Anchor, publicKeys: readonly string[]): boolean {
  return publicKeys.some((key) => {
    const publicKey = createPublicKey({
      key: Buffer.concat([PUBLIC_PREFIX, Buffer.from(key, 'base64url')]),
      format: 'der',
      type: 'spki',
    });
    return verify(null, Buffer.from(text), publicKey, Buffer.from(signature, 'base64url'));
  });
}

/** The digest by which the next anchor refers to this one. */
export function anchorDigest({ text }: Anchor): string {
  return createHash('sha256').update(text).digest('hex');
}
