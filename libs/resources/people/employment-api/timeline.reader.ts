import type { Executor } from '#projections/projection.js';
import { findReferences } from '../people/references.js';
import { compareTimelines, type TimelineChange } from '../employment/compare-timelines.js';
import type { TimelineChangeResponse, TimelineQuery, TimelineResponse } from './employment.contract.js';
import { presentedName, presentSegment, presentTerm } from './employment.presenter.js';
import { factsBetween, findMoments, listBeliefs } from './timeline.queries.js';
import type { Terms } from '../employment/timeline.js';

/** The person whose timeline is read. */
interface Owner {
  readonly organisationId: string;
  readonly personId: string;
}

/** Answers a timeline in two times (docs/reference/people-and-employment.md). The same for the API and the command line. */
export async function readTimeline(executor: Executor, owner: Owner, query: TimelineQuery): Promise<TimelineResponse> {
  const { as_of: day, known_at: knownAt = null, compare_known_at: comparedAt } = query;
  const [moment, compared] = await findMoments(executor, owner, comparedAt === undefined ? [knownAt] : [knownAt, comparedAt]);
  const beliefs = await listBeliefs(executor, owner, moment!.revision, day ?? null);
  const references = await findReferences(executor, owner.organisationId, beliefs);
  const segments = beliefs.map((belief) => presentSegment(belief, references));
  const changes = compared === undefined ? {} : { changes: await readChanges(executor, owner, [moment!.revision, compared.revision]) };
  const common = { person_id: owner.personId, timeline_version: moment!.revision + 1, known_at: knownAt };
  if (day === undefined) return { ...common, segments, ...changes };
  const segment = segments[0] ?? null;
  return { ...common, as_of: day, employed: segment?.employed ?? false, segment, ...changes };
}

async function readChanges(executor: Executor, owner: Owner, revisions: readonly [number, number]): Promise<readonly TimelineChangeResponse[]> {
  const from = Math.min(...revisions);
  const to = Math.max(...revisions);
  const earlier = await listBeliefs(executor, owner, from);
  const later = await listBeliefs(executor, owner, to);
  const changes = compareTimelines(earlier, later, await factsBetween(executor, owner, from, to));
  const references = await findReferences(executor, owner.organisationId, changes.flatMap(referredTo));
  const present = ({ field }: TimelineChange, value: TimelineChange['before']): unknown =>
    field === 'employed' || typeof value === 'boolean' ? value : presentTerm(field, value, references);
  return changes.map((change) => ({
    effective_from: change.from,
    effective_to: change.to,
    field: presentedName(change.field as keyof Terms),
    before: present(change, change.before),
    after: present(change, change.after),
    fact_id: change.factId,
    recorded_at: change.recordedAt.toISOString(),
  }));
}

function referredTo(change: TimelineChange): readonly Terms[] {
  return [{ [change.field]: change.before } as Terms, { [change.field]: change.after } as Terms];
}
