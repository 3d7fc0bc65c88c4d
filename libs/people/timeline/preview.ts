import type { Append, EventStore } from '#event-store/event-store.js';
import type { Executor } from '#projections/projection.js';
import { type ComparedSegment, compareTimelines } from '../employment/compare-timelines.js';
import { employmentAggregate, type EmploymentEvent, factOf } from '../employment/employment.js';
import { factsOf } from '../employment/history.js';
import { believed, type Fact } from '../employment/timeline.js';
import { findReferences } from '../record/references.js';
import type { TimelineChangeResponse } from './employment-shapes.js';
import type { Owner } from './known-at.js';
import { presentChange, referredTo } from './read-timeline.js';

/** A value of a term over an interval of days, before and after a planned write. */
export type PreviewedChange = Omit<TimelineChangeResponse, 'fact_id' | 'recorded_at'>;

/**
 * The changes of the decided events of an employment to the current timeline, by date and then by field: the
 * response that `compare_known_at` would give once they are recorded. Days without a change are left out.
 *
 * @param append the events that a command decided and did not record
 */
export async function previewChanges(
  { eventStore, executor }: { readonly eventStore: EventStore; readonly executor: Executor },
  owner: Owner,
  append: Append,
): Promise<readonly PreviewedChange[]> {
  const { organisationId, personId } = owner;
  const recorded = factsOf(await eventStore.readStream(employmentAggregate.streamOf(organisationId, personId)));
  const decided = append.events.map((event, index) =>
    factOf(event as unknown as EmploymentEvent, recorded.length + index),
  );
  // A preview contains neither the recorded time nor the id of a fact.
  const recorded_at = new Date(0);
  const between = decided.map(({ factId: fact_id, corrects }) => ({ fact_id, corrects, recorded_at }));
  const changes = compareTimelines(
    segmentsOf(recorded, recorded_at),
    segmentsOf([...recorded, ...decided], recorded_at),
    between,
  );
  const names = await findReferences(executor, organisationId, changes.flatMap(referredTo));
  return changes.map((change) => {
    const { effective_from, effective_to, field, before, after } = presentChange(change, names);
    return { effective_from, effective_to, field, before, after };
  });
}

function segmentsOf(facts: readonly Fact[], recorded_at: Date): readonly ComparedSegment[] {
  return believed(facts).map(({ validFrom, validTo, employed, factId, terms }) => ({
    ...terms,
    valid_from: validFrom,
    valid_to: validTo,
    employed,
    fact_id: factId,
    recorded_at,
  }));
}
