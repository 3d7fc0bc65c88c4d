/** The retention of the log in days, not counting the current day. */
export const REQUEST_LOG_DAYS = 7;
/** The retained days, the current day, and the partition that is emptied for tomorrow. */
const SLOTS = REQUEST_LOG_DAYS + 2;
const DAY_MILLISECONDS = 86_400_000;

/** The partition of a time: one per day in UTC, in rotation. */
export function slotOf(instant: Date): number {
  return Math.floor(instant.getTime() / DAY_MILLISECONDS) % SLOTS;
}

/** The table of a partition. */
export function partitionOf(slot: number): string {
  return `request_log_${slot}`;
}

/** Every table of the log. */
export const REQUEST_LOG_TABLES: readonly string[] = [
  'request_log',
  ...Array.from({ length: SLOTS }, (_, slot) => partitionOf(slot)),
];

/**
 * Requests of API keys and sessions, without their content (ADR 83). The partitions are unlogged: they cost
 * no write-ahead log, and a crash of the database empties them. The migration creates them all, so that no
 * process creates tables while it serves.
 */
export const REQUEST_LOG_SCHEMA = `
create table request_log (
  slot smallint not null,
  organisation_id text collate "C" not null,
  request_id text collate "C" not null,
  answered_at timestamptz(3) not null,
  method text not null,
  route text,
  operation text,
  status smallint not null,
  error_code text,
  caller_type text not null,
  caller_id text collate "C" not null,
  milliseconds real not null
) partition by list (slot);
${Array.from({ length: SLOTS }, (_, slot) => `create unlogged table ${partitionOf(slot)} partition of request_log for values in (${slot});`).join('\n')}
create index request_log_by_time on request_log (organisation_id, answered_at desc, request_id desc);
create index request_log_by_id on request_log (organisation_id, request_id);
`;
