import { randomBytes } from 'node:crypto';
import type { Executor } from '#database/key-rings/key-ring.js';
import { personDataRing } from '#database/key-rings/person-key-seal.js';
import { openBytes, sealBytes } from '#database/seal.js';
import { yieldToEventLoop } from '#kernel/yield-to-event-loop.js';

const KEY_BYTES = 32;
const VERSION_BYTES = 2;
/**
 * Stands for a key that is stored unencrypted, because the installation has no version of the ring; versions
 * begin with 1.
 */
const UNWRAPPED = 0;

/**
 * A key for the file and the problems of one import, and its stored form: two bytes of the ring's version,
 * then the key. Storage format.
 */
export async function createImportKey(
  executor: Executor,
  importId: string,
): Promise<{ readonly key: Buffer; readonly stored: Buffer }> {
  const key = randomBytes(KEY_BYTES);
  const current = await personDataRing(executor).current();
  const version = Buffer.alloc(VERSION_BYTES);
  version.writeUInt16BE(current?.version ?? UNWRAPPED);
  return {
    key,
    stored: Buffer.concat([version, current === null ? key : sealBytes(key, current.secret, nameOf(importId))]),
  };
}

/**
 * Returns the key from its stored form; null if it was destroyed, or wrapped by a version of the ring that
 * has since been retired.
 */
export async function openImportKey(
  executor: Executor,
  importId: string,
  stored: Buffer | null,
): Promise<Buffer | null> {
  if (stored === null) return null;
  const version = stored.readUInt16BE(0);
  const wrapped = stored.subarray(VERSION_BYTES);
  if (version === UNWRAPPED) return wrapped;
  const secret = await personDataRing(executor).find(version);
  return secret === null ? null : openBytes(wrapped, secret, nameOf(importId));
}

/** Encrypts a text of an import. */
export function sealText(text: string, key: Buffer, importId: string): Buffer {
  return sealBytes(Buffer.from(text), key, nameOf(importId));
}

/** Decrypts the result of {@link sealText}. Throws for another key, another import and an altered byte. */
export function openText(sealed: Buffer, key: Buffer, importId: string): string {
  return openBytes(sealed, key, nameOf(importId)).toString();
}

/** The same for a whole file: yields to the event loop between decrypting and reading its megabytes. */
export async function openFile(sealed: Buffer, key: Buffer, importId: string): Promise<string> {
  await yieldToEventLoop();
  const bytes = openBytes(sealed, key, nameOf(importId));
  await yieldToEventLoop();
  return bytes.toString();
}

function nameOf(importId: string): string {
  return `import ${importId}`;
}
