import type { Pool } from 'pg';
import { ProcessInstance } from '#commands/receipts/process-instance.js';
import { Receipts } from '#commands/receipts/receipts.js';
import { Listener } from '#database/sessions/listener.js';
import { KeyCache } from '#http/keys/api-key.js';
import { PostgresKeyDirectory } from '#http/keys/key-directory.js';

/** What all listeners of a process share: its receipts, and the keys that it remembers until PostgreSQL announces a change of authorisations. */
export class ProcessSession {
  private constructor(
    readonly keys: KeyCache,
    readonly receipts: Receipts,
    private readonly instance: ProcessInstance,
    private readonly listener: Listener,
  ) {}

  /** Connects. Throws what the database throws. */
  static async open(pool: Pool): Promise<ProcessSession> {
    const keys = new KeyCache(new PostgresKeyDirectory(pool));
    const listener = await Listener.open(pool, 'authorisation_changed', () => keys.drop());
    const instance = await ProcessInstance.start(pool);
    return new ProcessSession(keys, new Receipts(pool, instance), instance, listener);
  }

  /** Closes its connections; other processes may then take over claims that are open. The listeners have ended before. */
  async close(): Promise<void> {
    await Promise.all([this.instance.stop(), this.listener.close()]);
  }
}
