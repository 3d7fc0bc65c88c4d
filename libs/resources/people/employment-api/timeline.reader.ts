import type { Executor } from '#projections/projection.js';
import { findReferences, type References } from '../people/references.js';
import { compareTimelines, type TimelineChange } from '../employment/compare-timelines.js';
import type { TimelineChangeResponse, TimelineQuery, TimelineResponse } from './employment.contract.js';
import { type Owner, settleMoments, type TimelineServices } from './known-at.js';
import { presentedName, presentSegment, presentTerm } from './employment.presenter.js';
import { factsBetween, findMoments, historyTag, listBeliefs } from './timeline.queries.js';
import type { Terms } from '../employment/timeline.js';

/**
 * A timeline, and the entity tag of the present employment, whatever moment was asked for: a next write uses it to state which facts it has
 * seen.
 */
export interface ReadTimeline {
  readonly timeline: TimelineResponse;
  readonly entityTag: string;
}

/**
 * Reads a bitemporal timeline (docs/reference/people-and-employment.md), for the API and for the command line. Throws as {@link
 * settleMoments} does.
 */
export async function readTimeline(services: TimelineServices, owner: Owner, query: TimelineQuery): Promise<ReadTimeline> {
  await settleMoments(services, owner, query);
  const { executor } = services;
  const { as_of: day, known_at: knownAt = null, compare_known_at: comparedAt } = query;
  const [moment, compared] = await findMoments(executor, owner, comparedAt === undefined ? [knownAt] : [knownAt, comparedAt]);
  const beliefs = await listBeliefs(executor, owner, moment!.revision, day ?? null);
  const changed = compared === undefined ? [] : await findChanges(executor, owner, [moment!.revision, compared.revision]);
  const references = await findReferences(executor, owner.organisationId, [
    ...beliefs,
    ...changed.flatMap(referredTo),
    moment!.shown_references,
  ]);
  const segments = beliefs.map((belief) => presentSegment(belief, references));
  const changes = compared === undefined ? {} : { changes: changed.map((change) => presentChange(change, references)) };
  const common = { person_id: owner.personId, timeline_version: moment!.revision + 1, known_at: knownAt };
  const entityTag = historyTag(moment!, references);
  if (day === undefined) return { timeline: { ...common, segments, ...changes }, entityTag };
  const segment = segments[0] ?? null;
  return { timeline: { ...common, as_of: day, employed: segment?.employed ?? false, segment, ...changes }, entityTag };
}

async function findChanges(executor: Executor, owner: Owner, revisions: readonly [number, number]): Promise<readonly TimelineChange[]> {
  const from = Math.min(...revisions);
  const to = Math.max(...revisions);
  const earlier = await listBeliefs(executor, owner, from);
  const later = await listBeliefs(executor, owner, to);
  return compareTimelines(earlier, later, await factsBetween(executor, owner, from, to));
}

function presentChange(change: TimelineChange, references: References): TimelineChangeResponse {
  const { field } = change;
  const present = (value: TimelineChange['before']): unknown =>
    field === 'employed' || typeof value === 'boolean' ? value : presentTerm(field, value, references);
  return {
    effective_from: change.from,
    effective_to: change.to,
    field: presentedName(field as keyof Terms),
    before: present(change.before),
    after: present(change.after),
    fact_id: change.factId,
    recorded_at: change.recordedAt.toISOString(),
  };
}

function referredTo(change: TimelineChange): readonly Terms[] {
  return [{ [change.field]: change.before } as Terms, { [change.field]: change.after } as Terms];
}
