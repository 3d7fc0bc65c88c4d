import { createHash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { KeyEnvironment } from '#kernel/tenancy.js';

/** A new key, and the parts of it that may be stored. */
export interface GeneratedApiKey {
  /** The whole key: shown once to its creator, never stored. */
  readonly apiKey: string;
  readonly secretHash: Buffer;
  readonly prefix: string;
  readonly lastFour: string;
}

const PREFIXES: Readonly<Record<KeyEnvironment, string>> = { live: 'svc_live_', sandbox: 'svc_test_' };
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_CHARACTERS = 30;
const CHECKSUM_CHARACTERS = 6;
const FORM = /^svc_(live|test)_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** Returns a new key: prefix, 30 random base62 characters (178 bits), and a checksum over both. */
export function generateApiKey(environment: KeyEnvironment): GeneratedApiKey {
  let unsealed = PREFIXES[environment];
  for (let index = 0; index < SECRET_CHARACTERS; index += 1) unsealed += BASE62[randomInt(BASE62.length)];
  const apiKey = unsealed + checksumOf(unsealed);
  return { apiKey, secretHash: hashApiKey(apiKey), prefix: PREFIXES[environment], lastFour: apiKey.slice(-4) };
}

/**
 * Returns the environment of a well-formed key; null where form or checksum is wrong, so that a typing error
 * needs no look-up.
 */
export function parseApiKey(text: string): KeyEnvironment | null {
  const match = FORM.exec(text);
  if (match === null || checksumOf(text.slice(0, -CHECKSUM_CHARACTERS)) !== match[3]) return null;
  return match[1] === 'live' ? 'live' : 'sandbox';
}

/**
 * Returns the SHA-256 of a key, which suffices for a random secret of this size. Only this hash is stored.
 */
export function hashApiKey(apiKey: string): Buffer {
  return createHash('sha256').update(apiKey).digest();
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let index = 0; index < CHECKSUM_CHARACTERS; index += 1) {
    digits = BASE62[rest % BASE62.length] + digits;
    rest = Math.floor(rest / BASE62.length);
  }
  return digits;
}
