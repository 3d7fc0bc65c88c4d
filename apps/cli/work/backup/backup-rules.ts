import type { BackupRules } from '#database/backup/backup-tables.js';
import { REQUEST_LOG_TABLES } from '#audit/request-log/request-log.sql.js';
import { PORTABLE_EVENTS, portablePositions } from '#event-store/postgres/portable-log.js';

/**
 * What a backup of this program leaves out: responses kept for retries (a retry finds the events of the first
 * request), the used part of a minute's budget, unfinished rebuilds, sessions and links of users (one that
 * ended must not come back), which notices they have read, imports (a backup must not keep a file longer than
 * the installation does), the log of requests, what receivers of webhooks answered, and records that a
 * restore keeps itself. Jobs are in a separate schema, which is left out as a whole: the worker's sweep finds
 * what is due. Read tables are included: a restore rebuilds them and compares the two.
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
