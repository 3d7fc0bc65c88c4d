import type { RecordedEvent } from '#event-store/event-store.js';
import { memoiseLast } from '#kernel/memoise-last.js';
import type { Row, Stream } from '#projections/projection.js';
import { partsOfStream } from '#kernel/aggregate.js';
import { type EmploymentEvent, factOf } from './employment.js';
import {
  believed,
  type Fact,
  type Segment,
  superseders,
  TERM_NAMES,
  type CompleteTerms,
  withTerms,
} from './timeline.js';

const PRIMARY_KEY = ['organisation_id', 'person_id'];

/**
 * Columns of `employment_facts`: one row per fact, written when it is recorded; only `corrected_by` is filled
 * in later.
 */
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
  'approver_type',
  'approver_id',
  'recorded_at',
];

/**
 * Columns of `employment_beliefs`: the terms in force over `valid`, as known from revision `lower(known)` to
 * before `upper(known)`.
 */
export const BELIEF_COLUMNS = [
  ...PRIMARY_KEY,
  'known_from',
  'valid_from',
  'valid',
  'known',
  'employed',
  'fact_id',
  ...TERM_NAMES,
];

/** The facts of a whole employment stream; computed once for all tables. */
export const factsOf: (stream: Stream) => readonly Fact[] = memoiseLast((stream) =>
  stream.map((event) => factOf(event as unknown as EmploymentEvent, event.revision)),
);

/**
 * The rows of the stream's facts. If the tables are at the revision `seen` or later, only facts that were
 * recorded later, or whose replacement has changed since.
 */
export function factRows(stream: Stream, seen: number | null = null): readonly Row[] {
  const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
  const facts = factsOf(stream);
  const projected = seen ?? -1;
  const correctors = superseders(facts);
  const replaced = replacedSince(facts, projected);
  return facts.flatMap((fact, index) => {
    const corrector = correctors.get(fact.factId);
    if (fact.revision <= projected && !replaced.has(fact.factId)) return [];
    const event: RecordedEvent = stream[index]!;
    const { actor, approval } = event.metadata;
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
      corrected_by: corrector?.factId ?? null,
      actor_type: actor.type,
      actor_id: actor.id,
      approver_type: approval?.approved_by.type ?? null,
      approver_id: approval?.approved_by.id ?? null,
      recorded_at: event.recordedAt,
    };
  });
}

/**
 * The facts up to a revision whose replacement has changed since. If it is the same again, because a
 * correction was withdrawn, another writer may have written the tables in between.
 */
function replacedSince(facts: readonly Fact[], projected: number): ReadonlySet<string> {
  const replaced = new Set<string>();
  if (projected < 0) return replaced;
  const before = superseders(facts.slice(0, projected + 1));
  for (let revision = projected + 1; revision < facts.length; revision += 1) {
    const then = superseders(facts.slice(0, revision + 1));
    for (const { factId } of facts.slice(0, projected + 1))
      if (then.get(factId) !== before.get(factId)) replaced.add(factId);
  }
  return replaced;
}

interface Belief {
  readonly segment: Segment;
  /** Null if the belief began at or before the revision of the tables: they contain its beginning. */
  readonly knownFrom: number | null;
  knownTo: number | null;
}

/**
 * The beliefs at every revision, as rows whose two ranges never overlap. If the tables are at the revision
 * `seen`, only the changes of later facts: beliefs that began later, and the {@link closingRow} of each
 * belief that ended later.
 */
export function beliefRows(stream: Stream, seen: number | null = null): readonly Row[] {
  const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
  const key = { organisation_id: organisationId, person_id: entityId };
  return beliefs(factsOf(stream), seen).map((belief) =>
    belief.knownFrom === null ? closingRow(key, belief) : completeRow(key, belief),
  );
}

type PersonKey = { readonly organisation_id: string; readonly person_id: string };

type CompleteRow = Row & PersonKey & CompleteTerms;

/** Written out for the same reason as in {@link withTerms}. */
function completeRow({ organisation_id, person_id }: PersonKey, { segment, knownFrom, knownTo }: Belief): CompleteRow {
  const { terms } = segment;
  return {
    organisation_id,
    person_id,
    known_from: knownFrom,
    valid_from: validFromOf(segment),
    valid: `[${segment.validFrom ?? ''},${segment.validTo ?? ''})`,
    known: `[${knownFrom},${knownTo ?? ''})`,
    employed: segment.employed,
    fact_id: segment.factId,
    job_title: terms.job_title,
    department_id: terms.department_id,
    manager_id: terms.manager_id,
    work_place_id: terms.work_place_id,
    work_type_id: terms.work_type_id,
    working_pattern_id: terms.working_pattern_id,
    contracted_weekly_minutes: terms.contracted_weekly_minutes,
    full_time_weekly_minutes: terms.full_time_weekly_minutes,
  };
}

/**
 * Ends the belief about these days, whenever it began. At most one exists, because beliefs of the same
 * revision never overlap.
 */
function closingRow(key: PersonKey, { segment, knownTo }: Belief): Row {
  return { ...key, known_from: null, valid_from: validFromOf(segment), known: `[0,${knownTo})` };
}

/** The column is part of the primary key, so an unknown first day is stored as a date before all others. */
function validFromOf({ validFrom }: Segment): string {
  return validFrom ?? '-infinity';
}

/**
 * A belief begins with the first revision that has its segment and ends with the first revision without it.
 */
function beliefs(facts: readonly Fact[], seen: number | null): readonly Belief[] {
  const begun: Belief[] = [];
  const standing =
    seen === null
      ? []
      : believed(facts.slice(0, seen + 1)).map((segment): Belief => ({ segment, knownFrom: null, knownTo: null }));
  let open = [...standing];
  for (let revision = (seen ?? -1) + 1; revision < facts.length; revision += 1) {
    const last = open.at(-1);
    if (last !== undefined && beginsAfter(facts[revision]!, last.segment)) splitLast(begun, open, facts[revision]!);
    else open = replaceBeliefs(begun, open, revision === facts.length - 1 ? facts : facts.slice(0, revision + 1));
  }
  return [...standing.filter(({ knownTo }) => knownTo !== null), ...begun];
}

/** Whether a fact only ends the last segment of an open period and begins the next one, like most facts. */
function beginsAfter(fact: Fact, last: Segment): boolean {
  return (
    fact.action === 'change' &&
    last.employed &&
    last.validTo === null &&
    last.validFrom !== null &&
    fact.date! > last.validFrom
  );
}

/** Updates the open beliefs to the result of `believed`, without folding all facts again. */
function splitLast(begun: Belief[], open: Belief[], { date, factId, terms, revision }: Fact): void {
  const last = open.pop()!;
  const { segment } = last;
  last.knownTo = revision;
  const { validFrom, validTo, employed, period } = segment;
  const shortened = {
    segment: { validFrom, validTo: date, employed, factId: segment.factId, terms: segment.terms, period },
    knownFrom: revision,
    knownTo: null,
  };
  const added = {
    segment: { validFrom: date, validTo, employed, factId, terms: withTerms(segment.terms, terms), period },
    knownFrom: revision,
    knownTo: null,
  };
  begun.push(shortened, added);
  open.push(shortened, added);
}

function replaceBeliefs(begun: Belief[], open: readonly Belief[], facts: readonly Fact[]): Belief[] {
  const revision = facts.length - 1;
  const before = new Map(open.map((belief) => [belief.segment.validFrom, belief]));
  const segments = believed(facts);
  requireDisjoint(segments);
  const now = segments.map((segment) => {
    const same = before.get(segment.validFrom);
    if (same !== undefined && isSame(same.segment, segment)) return same;
    const belief: Belief = { segment, knownFrom: revision, knownTo: null };
    begun.push(belief);
    return belief;
  });
  const current = new Set(now);
  for (const belief of open) if (!current.has(belief)) belief.knownTo = revision;
  return now;
}

/**
 * Throws if two segments of a revision share a day, or a segment is empty. The rows need no further check,
 * because the beliefs that are open at a revision are its segments, and {@link splitLast} divides the days of
 * one in two.
 */
function requireDisjoint(segments: readonly Segment[]): void {
  let before: Segment | null = null;
  for (const segment of segments) {
    const { validFrom, validTo } = segment;
    const isEmpty = validFrom !== null && validTo !== null && validFrom >= validTo;
    const isBehind = before === null || (before.validTo !== null && validFrom !== null && before.validTo <= validFrom);
    if (isEmpty || !isBehind)
      throw new Error(`two beliefs of one revision overlap: ${JSON.stringify([before, segment])}`);
    before = segment;
  }
}

function isSame(one: Segment, other: Segment): boolean {
  return (
    one.validTo === other.validTo &&
    one.factId === other.factId &&
    one.employed === other.employed &&
    TERM_NAMES.every((name) => one.terms[name] === other.terms[name])
  );
}
