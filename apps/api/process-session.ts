import type { Pool } from 'pg';
import { ProcessInstance } from '#commands/receipts/process-instance.js';
import { Receipts } from '#commands/receipts/receipts.js';
import { KeyCache } from '#http/keys/api-key.js';
import { PostgresKeyDirectory } from '#http/keys/key-directory.js';

/**
 * What all listeners of a process share: the keys that it remembers, its receipts, and the one connection that holds the lock of its
 * claims and listens for changes of authorisations.
 */
export class ProcessSession {
  private constructor(
    readonly keys: KeyCache,
    readonly receipts: Receipts,
    private readonly instance: ProcessInstance,
  ) {}

  /** Connects. Throws what the database throws. */
  static async open(pool: Pool): Promise<ProcessSession> {
    const keys = new KeyCache(new PostgresKeyDirectory(pool));
    const instance = await ProcessInstance.start(pool, () => keys.drop());
    return new ProcessSession(keys, new Receipts(pool, instance), instance);
  }

  /** Closes the connection; other processes may then take over claims that are open. The listeners have ended before. */
  async close(): Promise<void> {
    await this.instance.stop();
  }
}
