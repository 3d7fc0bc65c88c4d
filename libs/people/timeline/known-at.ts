import { type EventStore, InstantAheadError, MAX_CLOCK_SKEW_MILLISECONDS } from '#event-store/event-store.js';
import { invalid, RejectedError } from '#kernel/rejection.js';
import { projectStreams } from '#projections/catch-up.js';
import type { Executor } from '#projections/projection.js';
import type { Projector } from '#projections/projector.js';
import type { TimelineQuery } from './employment-shapes.js';
import { employmentAggregate } from '../employment/employment.js';

/** The dependencies of reading a timeline. */
export interface TimelineServices {
  readonly executor: Executor;
  readonly store: EventStore;
  readonly projector: Projector;
}

/** The person whose timeline is read. */
export interface Owner {
  readonly organisationId: string;
  readonly personId: string;
}

/**
 * Ensures that the response to a query with a `known_at` never changes: waits until nothing more can be
 * recorded up to that time, and until the read tables contain everything that was. A query without such a
 * time does not wait.
 *
 * Throws {@link RejectedError} for a time that is further ahead than a request waits, and
 * `StoreUnavailableError` if an append that may still be recorded before it does not end in time.
 */
export async function settleKnownAt(services: TimelineServices, owner: Owner, query: TimelineQuery): Promise<void> {
  const named = (['known_at', 'compare_known_at'] as const).flatMap((field) =>
    query[field] === undefined ? [] : [{ field, instant: query[field] }],
  );
  if (named.length === 0) return;
  const { field, instant } = named.reduce((latest, one) => (one.instant > latest.instant ? one : latest));
  const stream = employmentAggregate.streamOf(owner.organisationId, owner.personId);
  const last = await settle(services.store, stream, instant, field);
  if (last !== null && last > (await projectedRevision(services.executor, owner))) {
    // The process that recorded the events has not projected them: it is about to, or it was killed.
    await projectStreams({ eventStore: services.store, projector: services.projector }, services.executor, [stream]);
  }
}

async function settle(store: EventStore, stream: string, instant: string, field: string): Promise<number | null> {
  try {
    return await store.settle(stream, instant);
  } catch (error) {
    if (!(error instanceof InstantAheadError)) throw error;
    const issue =
      `must not lie more than ${MAX_CLOCK_SKEW_MILLISECONDS / 1_000} seconds ahead; omit it for ` +
      'the current knowledge';
    throw new RejectedError(invalid(field, issue));
  }
}

async function projectedRevision(executor: Executor, { organisationId, personId }: Owner): Promise<number> {
  const { rows } = await executor.query<{ revision: number | null }>({
    name: 'projected-employment-revision',
    text: 'select employment_revision as revision from people where organisation_id = $1 and person_id = $2',
    values: [organisationId, personId],
  });
  return rows[0]?.revision ?? -1;
}
