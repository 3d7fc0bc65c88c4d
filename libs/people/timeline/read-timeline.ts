import { HttpError } from '#http/errors.js';
import type { Executor } from '#projections/projection.js';
import { findReferences, type Names, namesReadWith } from '../record/references.js';
import { compareTimelines, type TimelineChange } from '../employment/compare-timelines.js';
import type { BeliefsResponse, TimelineChangeResponse, TimelineQuery, TimelineResponse } from './employment-shapes.js';
import { type Owner, settleKnownAt, type TimelineServices } from './known-at.js';
import { namesOfActors } from '../person/event-subjects.js';
import {
  actorsOf,
  presentBelief,
  presentedName,
  presentRecordedFact,
  presentSegment,
  presentTerm,
} from './present-employment.js';
import {
  type Believed,
  factsBetween,
  findBelieved,
  findRevision,
  historyTag,
  listBeliefs,
  listHeldBeliefs,
} from './read-facts.js';
import type { Terms } from '../employment/timeline.js';

/**
 * A timeline, and the entity tag of the current employment, whatever time was requested: a later write states
 * with it which facts its caller has seen.
 */
export interface ReadTimeline {
  readonly timeline: TimelineResponse;
  readonly entityTag: string;
  /** Whether the person's creation is complete; before that, callers of the API do not see the person. */
  readonly isCreated: boolean;
}

/**
 * Reads a bitemporal timeline (docs/reference/people-and-employment.md), for the API and for the command
 * line. Throws as {@link settleKnownAt} does, and {@link HttpError} (`not_found`) if nothing of such a person
 * is projected. `executor` reads the timeline; `services` wait until its time is settled.
 */
export async function readTimeline(
  services: TimelineServices,
  owner: Owner,
  query: TimelineQuery,
  executor: Executor = services.executor,
): Promise<ReadTimeline> {
  await settleKnownAt(services, owner, query);
  const { as_of: day, known_at: knownAt = null, compare_known_at: comparedAt } = query;
  const found = await findBelieved(executor, owner, knownAt, day ?? null);
  if (found === null) throw new HttpError('not_found');
  const { moment: instant, beliefs } = found;
  const changed = comparedAt === undefined ? null : await findChanges(executor, owner, instant.revision, comparedAt);
  const names = await namesOf(executor, owner, found, changed);
  const segments = beliefs.map((belief) => presentSegment(belief, names));
  const changes = changed === null ? {} : { changes: changed.map((change) => presentChange(change, names)) };
  const common = { person_id: owner.personId, timeline_version: instant.revision + 1, known_at: knownAt };
  const rest = { entityTag: historyTag(instant, names), isCreated: instant.is_created };
  if (day === undefined) return { timeline: { ...common, segments, ...changes }, ...rest };
  const segment = segments[0] ?? null;
  return { timeline: { ...common, as_of: day, employed: segment?.employed ?? false, segment, ...changes }, ...rest };
}

/**
 * Reads all beliefs about the employment of an existing person: for each day and time the one belief that
 * {@link readTimeline} returns for them.
 *
 * @param version the current version of the person's timeline
 * @param namesUsers whether users are identified by their e-mail address; API keys have their names in any
 * case
 */
export async function readBeliefs(
  executor: Executor,
  owner: Owner,
  version: number,
  namesUsers = false,
): Promise<BeliefsResponse> {
  const [beliefs, facts] = await Promise.all([
    listHeldBeliefs(executor, owner, version),
    factsBetween(executor, owner, -1, version - 1),
  ]);
  const names = namesReadWith(beliefs);
  const named = facts.flatMap(actorsOf).filter(({ type }) => namesUsers || type !== 'user');
  const actorNames = await namesOfActors(executor, owner.organisationId, named);
  return {
    person_id: owner.personId,
    timeline_version: version,
    beliefs: beliefs.map((belief) => presentBelief(belief, names)),
    facts: facts.map((fact) => presentRecordedFact(fact, actorNames)),
  };
}

/** The names of everything that the response and its tag refer to. */
async function namesOf(
  executor: Executor,
  { organisationId }: Owner,
  { moment: instant, beliefs }: Believed,
  changed: readonly TimelineChange[] | null,
): Promise<Names> {
  const read = namesReadWith([...beliefs, instant.shown_terms]);
  return changed === null
    ? read
    : new Map([...read, ...(await findReferences(executor, organisationId, changed.flatMap(referredTo)))]);
}

async function findChanges(
  executor: Executor,
  owner: Owner,
  revision: number,
  comparedAt: string,
): Promise<readonly TimelineChange[]> {
  const compared = await findRevision(executor, owner, comparedAt);
  const from = Math.min(revision, compared);
  const to = Math.max(revision, compared);
  const earlier = await listBeliefs(executor, owner, from);
  const later = await listBeliefs(executor, owner, to);
  return compareTimelines(earlier, later, await factsBetween(executor, owner, from, to));
}

/** A change with the names of the references of its values. */
export function presentChange(change: TimelineChange, references: Names): TimelineChangeResponse {
  const { field } = change;
  const present = (value: TimelineChange['before']): unknown =>
    field === 'employed' || typeof value === 'boolean' ? value : presentTerm(field, value, references);
  return {
    effective_from: change.from,
    effective_to: change.to,
    field: field === 'employed' ? field : presentedName(field),
    before: present(change.before),
    after: present(change.after),
    fact_id: change.factId,
    recorded_at: change.recordedAt.toISOString(),
  };
}

/** The references of the values of a change. */
export function referredTo(change: TimelineChange): readonly Terms[] {
  return [{ [change.field]: change.before } as Terms, { [change.field]: change.after } as Terms];
}
