import type { BackupRules } from '#database/backup/backup-tables.js';
import { REQUEST_LOG_TABLES } from '#audit/request-log/request-log.sql.js';
import { PORTABLE_EVENTS, portablePositions } from '#event-store/postgres/portable-log.js';

/**
 * The tables that a backup leaves out: responses stored for retries (a retry finds the events of the first
 * request), the used budgets of the current minute, unfinished rebuilds, sessions and links of users (an
 * ended one must not become valid again), read notices, imports (a backup must not store a file longer than
 * the installation does), the log of requests, responses of webhook receivers, and records that a restore
 * writes itself. Jobs are in a separate schema, which is left out as a whole: the worker's sweep finds due
 * work. Read tables are included: a restore rebuilds them and compares the two.
 */
export const BACKUP_RULES: BackupRules = {
  leftOut: [
    'idempotency_receipts',
    'rate_limit_windows',
    'schema_migrations',
    'restore_under_way',
    'projection_rebuilds',
    'user_sessions',
    'sign_in_links',
    'calendar_links',
    'notice_reads',
    'finished_sign_ins',
    'imports',
    'import_problems',
    'import_changes',
    'requested_rebuilds',
    'requested_verifications',
    'webhook_exchanges',
    ...REQUEST_LOG_TABLES,
  ],
  rewritten: {
    events: PORTABLE_EVENTS,
    projection_checkpoints: portablePositions('position'),
    webhooks: portablePositions('activated_position'),
    webhook_fan_out: portablePositions('position'),
    webhook_events: portablePositions('position'),
    webhook_cursors: portablePositions('position'),
    audit_anchors: portablePositions('position'),
    event_store_moves: portablePositions('first_position', 'last_position'),
  },
};
