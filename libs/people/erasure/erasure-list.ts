import type { Actor } from '#event-store/event-store.js';
import type { Executor } from '#projections/projection.js';

/** One erasure of the list. */
export interface Erasure {
  readonly organisation_id: string;
  readonly person_id: string;
  readonly reason: string | null;
  readonly actor: Actor;
  /** ISO 8601 in UTC. */
  readonly requested_at: string;
  /** Null if it is not complete: the command must be repeated. */
  readonly completed_at: string | null;
}

interface ErasureRow extends Omit<Erasure, 'actor' | 'requested_at' | 'completed_at'> {
  readonly actor_type: Actor['type'];
  readonly actor_id: string;
  readonly requested_at: Date;
  readonly completed_at: Date | null;
}

const COLUMNS = 'organisation_id, person_id, reason, actor_type, actor_id, requested_at, completed_at';

/** The erasures, oldest first; of all organisations if none is named. */
export async function listErasures(executor: Executor, organisationId: string | null): Promise<readonly Erasure[]> {
  const { rows } = await executor.query<ErasureRow>(
    `select ${COLUMNS} from person_erasures where $1::text is null or organisation_id = $1
      order by requested_at, organisation_id, person_id`,
    [organisationId],
  );
  return rows.map(erasureOf);
}

/** Puts an erasure on the list if it is not there yet. Returns the listed one: the first request counts. */
export async function noteErasure(
  executor: Executor,
  requested: Omit<Erasure, 'requested_at' | 'completed_at'> & { readonly requested_at: string | null },
): Promise<Erasure> {
  const { organisation_id, person_id, reason, actor, requested_at } = requested;
  await executor.query(
    `insert into person_erasures (organisation_id, person_id, reason, actor_type, actor_id, requested_at)
     values ($1, $2, $3, $4, $5, coalesce($6::timestamptz, clock_timestamp())) on conflict do nothing`,
    [organisation_id, person_id, reason, actor.type, actor.id, requested_at],
  );
  return (await findErasure(executor, organisation_id, person_id))!;
}

/** The erasure of a person; null if none was requested. */
export async function findErasure(
  executor: Executor,
  organisationId: string,
  personId: string,
): Promise<Erasure | null> {
  const { rows } = await executor.query<ErasureRow>(
    `select ${COLUMNS} from person_erasures where organisation_id = $1 and person_id = $2`,
    [organisationId, personId],
  );
  return rows[0] === undefined ? null : erasureOf(rows[0]);
}

/** Marks an erasure as complete. */
export async function completeErasure(
  executor: Executor,
  { organisation_id, person_id }: Pick<Erasure, 'organisation_id' | 'person_id'>,
): Promise<void> {
  await executor.query(
    `update person_erasures set completed_at = clock_timestamp()
      where organisation_id = $1 and person_id = $2 and completed_at is null`,
    [organisation_id, person_id],
  );
}

function erasureOf({ actor_type, actor_id, requested_at, completed_at, ...row }: ErasureRow): Erasure {
  return {
    ...row,
    actor: { type: actor_type, id: actor_id },
    requested_at: requested_at.toISOString(),
    completed_at: completed_at?.toISOString() ?? null,
  };
}
