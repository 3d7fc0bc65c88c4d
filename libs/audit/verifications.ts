import type { Pool } from 'pg';
import { anchorDigest } from './anchor.js';
import { type Finding, NO_ORGANISATION } from './findings.js';
import type { Verification } from './verify.js';

/**
 * The results of verifications. `organisation_id` is null for one of all streams; `counts` has events and
 * streams of each organisation.
 */
export const VERIFICATIONS_SCHEMA = `
create table history_verifications (
  id uuid primary key default gen_random_uuid(),
  organisation_id text collate "C",
  started_at timestamptz(3) not null,
  ended_at timestamptz(3) not null default clock_timestamp(),
  counts jsonb not null,
  last_anchor integer,
  last_anchor_at timestamptz(3),
  last_anchor_digest text,
  trusts_own_key boolean not null,
  findings jsonb not null
);
create index history_verifications_by_time on history_verifications (ended_at desc);
`;

/** The retention of results, in days. The last result stays. */
const RETENTION_DAYS = 400;

/** The options of a verification. */
export interface VerificationRun {
  readonly startedAt: Date;
  /** Null where it covered the streams of all organisations. */
  readonly organisationId: string | null;
  /**
   * Whether anchors were checked against the key in the database, which its administrators could replace, and
   * not against an externally recorded one.
   */
  readonly trustsOwnKey: boolean;
}

/** A verification for an organisation, without data of others. */
export interface StoredVerification {
  readonly started_at: Date;
  readonly ended_at: Date;
  /** The organisation's own. */
  readonly events: number;
  readonly streams: number;
  /**
   * The number of findings about the organisation's streams and of those without a stream, including those
   * beyond the limit of the list.
   */
  readonly found: number;
  readonly last_anchor: number | null;
  readonly last_anchor_at: Date | null;
  /** SHA-256, hex. */
  readonly last_anchor_digest: string | null;
  readonly trusts_own_key: boolean;
  /**
   * Findings about the organisation's streams, and those without a stream, such as about anchors: of all
   * findings, the first thousand are stored.
   */
  readonly findings: readonly Finding[];
}

/** Stores the findings of a verification. */
export async function keepVerification(pool: Pool, verification: Verification, run: VerificationRun): Promise<void> {
  const { ofOrganisations, lastAnchor, findings } = verification;
  await pool.query(
    `with outdated as (
       delete from history_verifications where ended_at < clock_timestamp() - interval '${RETENTION_DAYS} days'
     )
     insert into history_verifications (organisation_id, started_at, counts, last_anchor, last_anchor_at,
       last_anchor_digest, trusts_own_key, findings)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      run.organisationId,
      run.startedAt,
      JSON.stringify(ofOrganisations),
      lastAnchor?.document.number ?? null,
      lastAnchor?.document.created_at ?? null,
      lastAnchor === null ? null : anchorDigest(lastAnchor),
      run.trustsOwnKey,
      JSON.stringify(findings),
    ],
  );
}

/** The last verification that covered an organisation; null if there was none. */
export async function lastVerificationOf(
  executor: Pick<Pool, 'query'>,
  organisationId: string,
): Promise<StoredVerification | null> {
  const { rows } = await executor.query<StoredVerification>({
    name: 'last-verification',
    text: `select v.started_at, v.ended_at, coalesce((own ->> 'events')::int, 0) as events,
      coalesce((own ->> 'streams')::int, 0) as streams,
        greatest(coalesce((own ->> 'found')::int, 0) + coalesce((v.counts -> '${NO_ORGANISATION}' ->> 'found')::int, 0),
        jsonb_array_length(shown.findings)) as found,
        v.last_anchor, v.last_anchor_at, v.last_anchor_digest, v.trusts_own_key, shown.findings
      from history_verifications v
      cross join lateral (select v.counts -> $1 as own) counts
      cross join lateral (
        select coalesce(jsonb_agg(f.finding order by f.place), '[]') as findings
          from jsonb_array_elements(v.findings) with ordinality f(finding, place)
         where f.finding ->> 'stream' is null or strpos(f.finding ->> 'stream', '-' || $1 || '.') > 0
      ) shown
     where v.organisation_id is null or v.organisation_id = $1
     order by v.ended_at desc limit 1`,
    values: [organisationId],
  });
  return rows[0] ?? null;
}
