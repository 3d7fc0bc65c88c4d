import type { RecordedEvent } from '#event-store/event-store.js';
import { rememberLast } from '#kernel/remember-last.js';
import { partsOfStream, type Row, type Stream } from '#projections/projection.js';
import { type EmploymentEvent, factOf } from './employment.decider.js';
import { believed, type Fact, type Segment, TERM_NAMES } from './timeline.js';

const PRIMARY_KEY = ['organisation_id', 'person_id'];

/** Columns of `employment_facts`: one row a fact, written when it is recorded; only `corrected_by` is filled in later. */
export const FACT_COLUMNS = [
  ...PRIMARY_KEY,
  'revision',
  'fact_id',
  'action',
  'effective_from',
  'terms',
  'correction_reason',
  'corrects',
  'corrected_by',
  'actor_type',
  'actor_id',
  'recorded_at',
];

/** Columns of `employment_beliefs`: what was in force over `valid`, as known from revision `lower(known)` to before `upper(known)`. */
export const BELIEF_COLUMNS = [...PRIMARY_KEY, 'known_from', 'valid_from', 'valid', 'known', 'employed', 'fact_id', ...TERM_NAMES];

/** The facts that a whole employment stream records; read once, however many tables want them. */
export const factsOf: (stream: Stream) => readonly Fact[] = rememberLast((stream) =>
  stream.map((event) => factOf(event as unknown as EmploymentEvent, event.revision)),
);

/** Every fact of the stream. */
export function factRows(stream: Stream): readonly Row[] {
  const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
  const facts = factsOf(stream);
  const correctedBy = new Map(facts.filter((fact) => fact.corrects !== null).map((fact) => [fact.corrects, fact.factId]));
  return facts.map((fact, index) => {
    const event: RecordedEvent = stream[index]!;
    return {
      organisation_id: organisationId,
      person_id: entityId,
      revision: fact.revision,
      fact_id: fact.factId,
      action: fact.action,
      effective_from: fact.date,
      terms: fact.terms,
      correction_reason: fact.correctionReason,
      corrects: fact.corrects,
      corrected_by: correctedBy.get(fact.factId) ?? null,
      actor_type: event.metadata.actor.type,
      actor_id: event.metadata.actor.id,
      recorded_at: event.recordedAt,
    };
  });
}

interface Belief {
  readonly segment: Segment;
  readonly knownFrom: number;
  knownTo: number | null;
}

/** What was believed at every revision, as rows whose two ranges never overlap. */
export function beliefRows(stream: Stream): readonly Row[] {
  const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
  return beliefs(stream).map(({ segment, knownFrom, knownTo }) => ({
    organisation_id: organisationId,
    person_id: entityId,
    known_from: knownFrom,
    valid_from: segment.validFrom,
    valid: `[${segment.validFrom},${segment.validTo ?? ''})`,
    known: `[${knownFrom},${knownTo ?? ''})`,
    employed: segment.employed,
    fact_id: segment.factId,
    ...segment.terms,
  }));
}

/** A belief begins with the first revision that has its segment and ends with the first that has not. */
function beliefs(stream: Stream): readonly Belief[] {
  const facts = factsOf(stream);
  const all: Belief[] = [];
  let open: readonly Belief[] = [];
  for (let revision = 0; revision < facts.length; revision += 1) {
    const last = open.at(-1);
    open =
      last !== undefined && beginsAfter(facts[revision]!, last.segment)
        ? [...open.slice(0, -1), ...splitBelief(all, last, facts[revision]!)]
        : believeAnew(all, open, facts.slice(0, revision + 1));
  }
  return all;
}

/** Whether a fact only ends the last segment of an open period and begins the next one: what most facts do. */
function beginsAfter(fact: Fact, last: Segment): boolean {
  return fact.action === 'change' && last.employed && last.validTo === null && fact.date! > last.validFrom;
}

/** What `believed` would find, without folding all facts again. */
function splitBelief(all: Belief[], last: Belief, { date, factId, terms, revision }: Fact): readonly Belief[] {
  const { segment } = last;
  last.knownTo = revision;
  const shortened = { segment: { ...segment, validTo: date }, knownFrom: revision, knownTo: null };
  const added = { segment: { ...segment, validFrom: date!, factId, terms: { ...segment.terms, ...terms } }, knownFrom: revision, knownTo: null };
  all.push(shortened, added);
  return [shortened, added];
}

function believeAnew(all: Belief[], open: readonly Belief[], facts: readonly Fact[]): readonly Belief[] {
  const revision = facts.length - 1;
  const before = new Map(open.map((belief) => [belief.segment.validFrom, belief]));
  const now = believed(facts).map((segment) => {
    const same = before.get(segment.validFrom);
    if (same !== undefined && isSame(same.segment, segment)) return same;
    const belief: Belief = { segment, knownFrom: revision, knownTo: null };
    all.push(belief);
    return belief;
  });
  const kept = new Set(now);
  for (const belief of open) if (!kept.has(belief)) belief.knownTo = revision;
  return now;
}

function isSame(one: Segment, other: Segment): boolean {
  return (
    one.validTo === other.validTo &&
    one.factId === other.factId &&
    one.employed === other.employed &&
    TERM_NAMES.every((name) => one.terms[name] === other.terms[name])
  );
}
