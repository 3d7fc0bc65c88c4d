import type { Migration } from '#database/migrations.js';
import type { Executor } from '#projections/projection.js';
import { type DisabledReason, WEBHOOKS_WITH_STOPS } from '#webhooks/endpoint/webhook.js';

/** A user of an organisation. */
export interface NoticeReader {
  readonly organisationId: string;
  readonly userId: string;
}

/**
 * A notice for administrators: the service has disabled this endpoint, and it is still disabled (contract
 * part 3).
 */
export interface NoticeRow {
  /**
   * Identifies the endpoint and the activation that ended: an endpoint that is disabled again has another
   * notice.
   */
  readonly id: string;
  readonly webhook_id: string;
  readonly name: string;
  readonly reason: Exclude<DisabledReason, 'caller'>;
  readonly since: Date;
  readonly is_read: boolean;
}

/**
 * The notices that a user has read. The notices themselves derive from the endpoints, so these rows are not
 * events and are not backed up.
 */
export const NOTICE_READS_MIGRATION: Migration = {
  version: 19,
  name: 'notices that users have read',
  sql: `
create table notice_reads (
  organisation_id text collate "C" not null,
  user_id text collate "C" not null,
  notice_id text collate "C" not null,
  primary key (organisation_id, user_id, notice_id)
);
`,
};

const NOTICE_ID = "w.id || '.' || w.activation";
const REASON = 'coalesce(s.reason, w.disabled_reason)';
const NOTICES =
  `${WEBHOOKS_WITH_STOPS} where w.organisation_id = $1 and w.status <> 'deleted' and ${REASON} ` + "<> 'caller'";

/** The notices of an organisation, newest first, and whether this user has read each. */
export async function listNotices(
  executor: Executor,
  { organisationId, userId }: NoticeReader,
): Promise<readonly NoticeRow[]> {
  const { rows } = await executor.query<NoticeRow>({
    name: 'list-notices',
    text: `select n.*, r.notice_id is not null as is_read
             from (select ${NOTICE_ID} as id, w.id as webhook_id, w.name, ${REASON} as reason, coalesce(s.stopped_at,
               w.disabled_at) as since from ${NOTICES}) n
             left join notice_reads r on r.organisation_id = $1 and r.user_id = $2 and r.notice_id = n.id
            order by n.since desc, n.id`,
    values: [organisationId, userId],
  });
  return rows;
}

/** Marks notices as read by this user. Notices that have ended meanwhile, and unknown ids, are left out. */
export async function markNoticesRead(
  executor: Executor,
  { organisationId, userId }: NoticeReader,
  ids: readonly string[],
): Promise<void> {
  await executor.query(
    `insert into notice_reads (organisation_id, user_id, notice_id)
     select $1, $2, ${NOTICE_ID} from ${NOTICES} and ${NOTICE_ID} = any($3)
     on conflict do nothing`,
    [organisationId, userId, ids],
  );
}
