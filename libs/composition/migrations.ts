import { AUDIT_SCHEMA } from '#audit/audit.table.js';
import { REQUESTED_VERIFICATIONS_SCHEMA } from '#audit/requested-verifications.js';
import { VERIFICATIONS_SCHEMA } from '#audit/verifications.js';
import { REFERENCE_LOCKS_SCHEMA, WATCH_LOCKS_TOGETHER_SQL } from '#commands/locks/reference-locks.sql.js';
import {
  BEGINNING_OF_WRITES_MIGRATION,
  IDEMPOTENCY_SCHEMA,
  KEEP_RECEIPT_SQL,
} from '#commands/receipts/receipts.sql.js';
import { INSTALLATION_SCHEMA } from '#database/installation.sql.js';
import { KEY_RINGS_SCHEMA } from '#database/key-rings/key-rings.sql.js';
import type { Migration } from '#database/migrations.js';
import { APPEND_BATCH_SQL, CONDITIONS_OF_BATCHES_SQL, LONG_STREAMS_SQL } from '#event-store/postgres/append-batch.js';
import { APPEND_TO_STREAMS_SQL } from '#event-store/postgres/append-many.js';
import { EVENT_LOG_SCHEMA } from '#event-store/event-log.sql.js';
import { EVENT_STORE_SCHEMA } from '#event-store/postgres/schema.sql.js';
import { AUTHORISATION_VERSION_SCHEMA } from '#database/authorisation-version.js';
import { RATE_LIMIT_SCHEMA } from '#http/rate-limit/rate-limiter.js';
import { PROJECTION_CHECKPOINTS_SCHEMA } from '#projections/checkpoints.js';
import { PROJECTION_REBUILDS_SCHEMA } from '#projections/rebuild/rebuild-progress.js';
import { REQUESTED_REBUILDS_SCHEMA } from '#projections/rebuild/requested-rebuilds.js';
import { SYNC_MARKS_SCHEMA } from '#projections/upsert.js';
import { WEBHOOK_DELIVERIES_SCHEMA } from '#webhooks/deliver/deliveries.table.js';
import { IMPORT_JOBS_SCHEMA } from '#csv-import/import-jobs.table.js';
import { REFERENCE_VERSIONS_SCHEMA } from '#projections/reference-versions.js';
import { RESOURCE_MIGRATIONS, RESOURCE_SCHEMAS } from './registry.js';

/** For exclusion constraints and indexes over an id and a range. */
const EXTENSIONS = 'create extension if not exists btree_gist;\n';

/**
 * The tables on which resources rely come first, then the resources in the order of `resources.ts`.
 * `migrations.spec.ts` pins the text.
 */
const BASELINE: Migration = {
  version: 1,
  name: 'baseline',
  sql: [
    EXTENSIONS,
    EVENT_STORE_SCHEMA,
    INSTALLATION_SCHEMA,
    KEY_RINGS_SCHEMA,
    SYNC_MARKS_SCHEMA,
    PROJECTION_CHECKPOINTS_SCHEMA,
    PROJECTION_REBUILDS_SCHEMA,
    IDEMPOTENCY_SCHEMA,
    REFERENCE_LOCKS_SCHEMA,
    RATE_LIMIT_SCHEMA,
    AUTHORISATION_VERSION_SCHEMA,
    REFERENCE_VERSIONS_SCHEMA,
    WEBHOOK_DELIVERIES_SCHEMA,
    AUDIT_SCHEMA,
    ...RESOURCE_SCHEMAS,
  ].join(''),
};

const BATCHES_OF_WRITES: Migration = {
  version: 5,
  name: 'batches of writes',
  sql: APPEND_BATCH_SQL + KEEP_RECEIPT_SQL,
};

const IMPORTS_AND_REBUILDS: Migration = {
  version: 10,
  name: 'imports and requested rebuilds',
  sql: IMPORT_JOBS_SCHEMA + REQUESTED_REBUILDS_SCHEMA,
};

const CONDITIONS_OF_BATCHES: Migration = { version: 12, name: 'conditions of batches', sql: CONDITIONS_OF_BATCHES_SQL };

const VERIFICATIONS: Migration = { version: 14, name: 'verifications of history', sql: VERIFICATIONS_SCHEMA };

const LONG_STREAMS: Migration = { version: 16, name: 'long streams, and batches planned once', sql: LONG_STREAMS_SQL };

const BULK_WRITES: Migration = {
  version: 18,
  name: 'bulk writes',
  sql: APPEND_TO_STREAMS_SQL + WATCH_LOCKS_TOGETHER_SQL,
};

const EVENT_LOG: Migration = { version: 20, name: 'event log', sql: EVENT_LOG_SCHEMA };
const REQUESTED_VERIFICATIONS: Migration = {
  version: 26,
  name: 'requested verifications',
  sql: REQUESTED_VERIFICATIONS_SCHEMA,
};

/**
 * The whole schema: the baseline, and the steps that resources have added since. A released step never
 * changes, see {@link Migration}.
 */
export const MIGRATIONS: readonly Migration[] = [
  BASELINE,
  ...[
    BATCHES_OF_WRITES,
    IMPORTS_AND_REBUILDS,
    CONDITIONS_OF_BATCHES,
    VERIFICATIONS,
    LONG_STREAMS,
    BULK_WRITES,
    EVENT_LOG,
    REQUESTED_VERIFICATIONS,
    BEGINNING_OF_WRITES_MIGRATION,
    ...RESOURCE_MIGRATIONS,
  ].toSorted((one, other) => one.version - other.version),
];
