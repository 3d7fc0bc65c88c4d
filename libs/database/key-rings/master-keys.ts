import { createHash } from 'node:crypto';
import { openBytes, sealBytes } from '../seal.js';

/** A key of the installation is wrapped with a master key that this process does not have. */
export class MasterKeyMissingError extends Error {
  constructor(fingerprint: string) {
    super(
      `The keys of this installation are wrapped with the master key ${fingerprint}, which this process was not ` +
        'given: set MASTER_KEY or MASTER_KEY_FILE (while it is being replaced, MASTER_KEY_PREVIOUS).',
    );
    this.name = 'MasterKeyMissingError';
  }
}

/**
 * A secret as stored: unencrypted if `wrappedBy` is null, otherwise wrapped with the master key of that
 * fingerprint.
 */
export interface Wrapped {
  readonly secret: Buffer;
  readonly wrappedBy: string | null;
}

/**
 * The master keys that wrap the keys of the installation, so that the database or a backup alone decrypts
 * nothing.
 */
export class MasterKeys {
  private readonly keys: readonly { readonly fingerprint: string; readonly key: Buffer }[];

  /**
   * @param keys - 32 bytes each: the current key, then those that still unwrap; empty if secrets are stored
   * unencrypted
   */
  constructor(keys: readonly Buffer[]) {
    this.keys = keys.map((key) => ({ key, fingerprint: fingerprintOf(key) }));
  }

  /** The fingerprint of the current key; null if there is none. It reveals nothing about the key. */
  get fingerprint(): string | null {
    return this.keys[0]?.fingerprint ?? null;
  }

  /** @param boundTo - the name of the secret; it cannot be unwrapped under another name */
  wrap(secret: Buffer, boundTo: string): Wrapped {
    const [first] = this.keys;
    return first === undefined
      ? { secret, wrappedBy: null }
      : { secret: sealBytes(secret, first.key, boundTo), wrappedBy: first.fingerprint };
  }

  /**
   * Unwraps the result of {@link wrap}, with the current or an earlier key. Throws {@link
   * MasterKeyMissingError}.
   */
  unwrap({ secret, wrappedBy }: Wrapped, boundTo: string): Buffer {
    if (wrappedBy === null) return secret;
    const known = this.keys.find(({ fingerprint }) => fingerprint === wrappedBy);
    if (known === undefined) throw new MasterKeyMissingError(wrappedBy);
    return openBytes(secret, known.key, boundTo);
  }
}

/** Parses the master keys of a configuration: base64 of 32 bytes each. */
export function masterKeysOf(configuration: {
  readonly masterKey: string | null;
  readonly previousMasterKey: string | null;
}): MasterKeys {
  const given = [configuration.masterKey, configuration.previousMasterKey].filter((key) => key !== null);
  return new MasterKeys(given.map((key) => Buffer.from(key, 'base64')));
}

let ofProcess = new MasterKeys([]);

/** Sets the master keys of this process, once, before it reads a key. Every ring uses them. */
export function useMasterKeys(keys: MasterKeys): void {
  ofProcess = keys;
}

/** Returns the master keys of this process. */
export function masterKeys(): MasterKeys {
  return ofProcess;
}

function fingerprintOf(key: Buffer): string {
  return createHash('sha256').update('workforce master key').update(key).digest('hex').slice(0, 8);
}
