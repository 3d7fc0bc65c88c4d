import type { Pool } from 'pg';
import { Listener } from '#database/sessions/listener.js';
import { KeyCache } from '#access/authentication/key-cache.js';
import { PostgresKeyDirectory } from '#access/authentication/key-directory.js';

/**
 * The resources that all listeners of a process share: the cached keys, until PostgreSQL announces a change
 * of authorisations.
 */
export class ProcessSession {
  private constructor(
    readonly keys: KeyCache,
    private readonly listener: Listener,
  ) {}

  /** Connects. Throws the database's errors. */
  static async open(pool: Pool): Promise<ProcessSession> {
    const keys = new KeyCache(new PostgresKeyDirectory(pool));
    return new ProcessSession(keys, await Listener.open(pool, 'authorisation_changed', () => keys.drop()));
  }

  /** Closes its connection. The listeners must have stopped before. */
  close(): Promise<void> {
    return this.listener.close();
  }
}
