import type { Pool } from 'pg';

/** What PostgreSQL tells of its events beside what they say themselves. */
export interface PostgresEvidence {
  /** Events whose transaction never was: readers of the log never see them, readers of their stream do. At most 1,000. */
  readonly hidden: readonly { readonly stream: string; readonly revision: number }[];
  /** Names of triggers that keep events from being changed, and are missing or switched off. */
  readonly missingTriggers: readonly string[];
  /** How many numbers of the log were given to no event. An append that was rolled back leaves such gaps too, and so does a crash. */
  readonly gaps: number;
}

const TRIGGERS = ['events_are_never_changed', 'events_are_never_truncated'];

/** Asks PostgreSQL. */
export async function postgresEvidence(pool: Pool): Promise<PostgresEvidence> {
  const hidden = await pool.query<{ stream: string; revision: string }>(
    'select stream, revision from events where transaction_id >= pg_snapshot_xmax(pg_current_snapshot()) order by stream, revision limit 1000',
  );
  const triggers = await pool.query<{ name: string }>(
    `select wanted.name from unnest($1::text[]) as wanted (name)
      where not exists (select from pg_trigger t where t.tgrelid = 'events'::regclass and t.tgname = wanted.name and t.tgenabled in ('O', 'A'))`,
    [TRIGGERS],
  );
  const gaps = await pool.query<{ gaps: string }>('select coalesce(max(position) - min(position) + 1 - count(*), 0) as gaps from events');
  return {
    hidden: hidden.rows.map(({ stream, revision }) => ({ stream, revision: Number(revision) })),
    missingTriggers: triggers.rows.map(({ name }) => name),
    gaps: Number(gaps.rows[0]!.gaps),
  };
}
