import type { Pool } from 'pg';
import type { LogEvidence } from '../event-store.js';

const TRIGGERS = ['events_are_never_changed', 'events_are_never_truncated'];

/** Reads the evidence from PostgreSQL. */
export async function postgresEvidence(pool: Pool): Promise<LogEvidence> {
  const hidden = await pool.query<{ stream: string; revision: string }>(
    `select stream, revision from events where transaction_id >= pg_snapshot_xmax(pg_current_snapshot())
      order by stream, revision limit 1000`,
  );
  const triggers = await pool.query<{ name: string }>(
    `select requested.name from unnest($1::text[]) as requested (name)
      where not exists (select from pg_trigger t where t.tgrelid = 'events'::regclass and t.tgname = requested.name
        and t.tgenabled in ('O', 'A'))`,
    [TRIGGERS],
  );
  const gaps = await pool.query<{ gaps: string }>(
    'select coalesce(max(position) - min(position) + 1 - count(*), 0) as gaps from events',
  );
  return {
    hidden: hidden.rows.map(({ stream, revision }) => ({ stream, revision: Number(revision) })),
    missingTriggers: triggers.rows.map(({ name }) => name),
    gaps: Number(gaps.rows[0]!.gaps),
  };
}
