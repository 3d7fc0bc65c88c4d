import type { Executor } from '#projections/projection.js';

/** A notice to the admins of an organisation. */
export interface Notice {
  readonly organisationId: string;
  /** Derives from the id of its event. */
  readonly id: string;
  readonly kind: 'webhook_disabled';
  /** Its subject: the endpoint's id. */
  readonly subjectId: string;
  /** A sentence or two. */
  readonly text: string;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
}

/** How notices reach people: mail, a chat. After a crash, the same notice may be sent twice. */
export interface NoticeChannel {
  /** Rejects if the notice could not be sent; it is retried. */
  deliver(notice: Notice): Promise<void>;
}

/** The retry delay of a notice that a channel did not accept, in seconds. */
const RETRY_SECONDS = 60;

interface NoticeRow {
  readonly organisation_id: string;
  readonly id: string;
  readonly kind: Notice['kind'];
  readonly subject_id: string;
  readonly text: string;
  readonly created_at: Date;
}

/** Whether a notice is waiting and no other process is sending it; null if all are sent. */
export const IS_NOTICE_DUE = {
  text: `select bool_or(leased_until is null or leased_until < clock_timestamp()) from organisation_notices
    where sent_at is null`,
};

/**
 * Sends every unsent notice, the oldest first, and returns their number. Throws the channel's errors; the
 * others wait for the next time.
 */
export async function deliverNotices(executor: Executor, channel: NoticeChannel): Promise<number> {
  for (let count = 0; ; count += 1) {
    const { rows } = await executor.query<NoticeRow>({ name: 'claim-notice', text: CLAIM, values: [RETRY_SECONDS] });
    const [row] = rows;
    if (row === undefined) return count;
    await channel.deliver(noticeOf(row));
    await executor.query({
      name: 'sent-notice',
      text: 'update organisation_notices set sent_at = clock_timestamp() where organisation_id = $1 and id = $2',
      values: [row.organisation_id, row.id],
    });
  }
}

const CLAIM = `
update organisation_notices n set leased_until = clock_timestamp() + make_interval(secs => $1)
  from (select organisation_id, id from organisation_notices
         where sent_at is null and (leased_until is null or leased_until < clock_timestamp())
           order by created_at limit 1 for update skip locked) next
 where n.organisation_id = next.organisation_id and n.id = next.id
returning n.organisation_id, n.id, n.kind, n.subject_id, n.text, n.created_at`;

/** A notice, and its sending time. */
export interface KnownNotice extends Notice {
  /** ISO 8601 in UTC; null if it is not sent yet. */
  readonly sentAt: string | null;
}

/** All notices of an organisation, the newest first. */
export async function findNotices(executor: Executor, organisationId: string): Promise<readonly KnownNotice[]> {
  const { rows } = await executor.query<NoticeRow & { readonly sent_at: Date | null }>({
    name: 'notices-of-organisation',
    text: `select organisation_id, id, kind, subject_id, text, created_at, sent_at from organisation_notices
      where organisation_id = $1 order by created_at desc, id desc`,
    values: [organisationId],
  });
  return rows.map((row) => ({ ...noticeOf(row), sentAt: row.sent_at?.toISOString() ?? null }));
}

function noticeOf({
  organisation_id: organisationId,
  id,
  kind,
  subject_id: subjectId,
  text,
  created_at,
}: NoticeRow): Notice {
  return { organisationId, id, kind, subjectId, text, createdAt: created_at.toISOString() };
}
