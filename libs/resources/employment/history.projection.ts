import type { RecordedEvent } from '#event-store/event-store.js';
import { partsOfStream, type Row, type Stream } from '#projections/projection.js';
import { type EmploymentEvent, factOf } from './employment.decider.js';
import { believed, type Segment, TERM_NAMES } from './timeline.js';

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

function factsOf(stream: Stream): readonly ReturnType<typeof factOf>[] {
  return stream.map((event) => factOf({ type: event.type, data: event.data } as EmploymentEvent, event.revision));
}

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
  let open = new Map<string, Belief>();
  for (let revision = 0; revision < facts.length; revision += 1) {
    const stillOpen = new Map<string, Belief>();
    for (const segment of believed(facts.slice(0, revision + 1))) {
      const before = open.get(segment.validFrom);
      const belief = before !== undefined && isSame(before.segment, segment) ? before : { segment, knownFrom: revision, knownTo: null };
      if (belief !== before) all.push(belief);
      stillOpen.set(segment.validFrom, belief);
    }
    for (const [validFrom, belief] of open) if (stillOpen.get(validFrom) !== belief) belief.knownTo = revision;
    open = stillOpen;
  }
  return all;
}

function isSame(one: Segment, other: Segment): boolean {
  return (
    one.validTo === other.validTo &&
    one.factId === other.factId &&
    one.employed === other.employed &&
    TERM_NAMES.every((name) => one.terms[name] === other.terms[name])
  );
}
