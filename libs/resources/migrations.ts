import { INSTALLATION_KEYS_SCHEMA } from '#database/installation-keys.js';
import type { Migration } from '#database/migrations.js';
import { EVENT_STORE_SCHEMA } from '#event-store/postgres/schema.sql.js';

/** The whole schema, step by step. A released step never changes; see {@link Migration}. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'events', sql: EVENT_STORE_SCHEMA },
  { version: 2, name: 'installation_keys', sql: INSTALLATION_KEYS_SCHEMA },
];
