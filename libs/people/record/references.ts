import { ERASED, ERASED_ISSUE } from '#kernel/erasure.js';
import { addDays, type LocalDate } from '#kernel/dates.js';
import { conflict, notFound, type Rejection } from '#kernel/rejection.js';
import type { Executor } from '#projections/projection.js';
import type { Terms, CompleteTerms } from '../employment/timeline.js';
import { type NamedTerms, namesIn, type NamesOfTerms, type ReferringTerm, REFERRING_TERMS } from './person-row.js';

/** The current name of another resource, and whether new references to it are allowed. */
export interface Reference {
  readonly name: string;
  /** Whether it is archived, inactive, or an erased person. */
  readonly isArchived: boolean;
  /**
   * Of a person: the days after an employment, as half-open intervals; `to` is null if it is open-ended.
   * Empty for any other resource.
   */
  readonly absences: readonly Absence[];
}

interface Absence {
  readonly from: LocalDate;
  readonly to: LocalDate | null;
}

/**
 * Terms that refer to another resource: its name in messages, the category of its streams, and the reason for
 * which a retired one cannot be referred to.
 */
const REFERRING = {
  department_id: { word: 'org unit', category: 'org-unit', retired: 'this org unit is archived' },
  manager_id: { word: 'person', category: 'person', retired: ERASED_ISSUE },
  work_place_id: { word: 'work place', category: 'work-place', retired: 'this work place is archived' },
  work_type_id: { word: 'work type', category: 'work-type', retired: 'this work type is archived' },
  working_pattern_id: {
    word: 'working pattern',
    category: 'working-pattern',
    retired: 'this working pattern is archived',
  },
} as const;

/** Other resources by the term that refers to them and their id. */
export type References = ReadonlyMap<string, Reference>;

/** The current names of other resources, by the same. */
export type Names = ReadonlyMap<string, Pick<Reference, 'name'>>;

/** The names that were read together with terms. */
export function namesReadWith(all: readonly NamedTerms[]): Names {
  return new Map(all.flatMap(namesIn).map(([term, id, name]) => [keyOf(term, id), { name }]));
}

/**
 * The streams of the resources that terms refer to: references are recorded while these are locked
 * (`libs/commands/locks/references.ts`).
 */
export function streamsOfTerms(organisationId: string, terms: Terms): readonly string[] {
  return named(terms).map(([term, id]) => `${REFERRING[term].category}-${organisationId}.${id}`);
}

const ABSENCES = `(select json_agg(json_build_object('from', lower(b.valid), 'to', upper(b.valid)) order by b.valid)
  from employment_beliefs b
                where b.organisation_id = $1 and b.person_id = p.person_id and upper_inf(b.known) and not b.employed)`;

/**
 * Looks up the references of the terms in one query; empty without references. Missing resources are not in
 * the result.
 */
export async function findReferences(
  executor: Executor,
  organisationId: string,
  terms: readonly Terms[],
): Promise<References> {
  const ids = new Set(
    terms.flatMap((one) => REFERRING_TERMS.map((term) => one[term])).filter((id) => typeof id === 'string'),
  );
  if (ids.size === 0) return new Map();
  const { rows } = await executor.query<{
    term: string;
    id: string;
    name: string;
    is_archived: boolean;
    absences: readonly Absence[] | null;
  }>({
    name: 'references-of-terms',
    text: `select 'department_id' as term, id, name, archived_at is not null as is_archived, null::json as absences
      from org_units where organisation_id = $1 and id = any($2::text[])
     union all select 'manager_id', person_id, display_name, work_email = '${ERASED}', ${ABSENCES} from people p
     where organisation_id = $1 and person_id = any($2::text[]) and identity_revision is not null
     union all select 'work_place_id', id, label, not is_active, null from work_places
     where organisation_id = $1 and id = any($2::text[])
     union all select 'work_type_id', id, label, not is_active, null from work_types
     where organisation_id = $1 and id = any($2::text[])
     union all select 'working_pattern_id', id, label, archived_at is not null, null from working_patterns
     where organisation_id = $1 and id = any($2::text[])`,
    values: [organisationId, [...ids]],
  });
  return new Map(
    rows.map((row) => [
      keyOf(row.term, row.id),
      { name: row.name, isArchived: row.is_archived, absences: row.absences ?? [] },
    ]),
  );
}

/**
 * Refuses terms that refer to a resource that does not exist or belongs to another organisation, with the
 * same message for both.
 */
export function missingReference(terms: Terms, references: References): Rejection | null {
  const missing = named(terms).filter(([term, id]) => !references.has(keyOf(term, id)));
  if (missing.length === 0) return null;
  const [first] = missing;
  const rejection = notFound(first![0], `there is no such ${REFERRING[first![0]].word}`);
  return {
    ...rejection,
    details: missing.map(([term]) => ({ field: term, issue: `there is no such ${REFERRING[term].word}` })),
  };
}

/**
 * Refuses terms that begin to refer to an archived resource or to an erased person; given the effective date,
 * also to a manager who has left by then. A manager who leaves later stays recorded.
 */
export function archivedReference(
  terms: Terms,
  references: References,
  day: LocalDate | null = null,
): Rejection | null {
  const archived = named(terms).find(([term, id]) => references.get(keyOf(term, id))?.isArchived === true);
  if (archived !== undefined) return conflict(archived[0], REFERRING[archived[0]].retired);
  if (day === null || typeof terms.manager_id !== 'string') return null;
  const absences = references.get(keyOf('manager_id', terms.manager_id))?.absences ?? [];
  const absence = absences.find(({ from, to }) => from <= day && (to === null || day < to));
  if (absence === undefined) return null;
  return conflict('manager_id', `has left by ${day}: their final day is ${addDays(absence.from, -1)}`);
}

/** The current name of a term's resource; the id if it no longer exists. */
export function nameOf(references: Names, term: ReferringTerm, id: string): string {
  return references.get(keyOf(term, id))?.name ?? id;
}

/** The current name of a field's reference; null without a reference, or if the resource no longer exists. */
export function nameOfTerm(references: Names, field: string, id: string): string | null {
  return references.get(keyOf(field, id))?.name ?? null;
}

/** The terms that refer to other resources, with their names; the id replaces a missing name. */
export function withNames<Terms extends Pick<CompleteTerms, ReferringTerm>>(
  terms: Terms,
  references: Names,
): Terms & NamesOfTerms {
  const nameIn = (term: ReferringTerm): string | null =>
    terms[term] === null ? null : nameOf(references, term, terms[term]);
  return {
    ...terms,
    department_name: nameIn('department_id'),
    manager_name: nameIn('manager_id'),
    work_place_label: nameIn('work_place_id'),
    work_type_label: nameIn('work_type_id'),
    working_pattern_label: nameIn('working_pattern_id'),
  };
}

/** A text of all names except those of the terms, for {@link tagWithFurtherNames}; empty without others. */
export function furtherNames(references: Names, terms: Terms): string {
  const known = new Set(named(terms).map(([term, id]) => keyOf(term, id)));
  const further = [...references].filter(([key]) => !known.has(key)).sort(([one], [other]) => (one < other ? -1 : 1));
  return further.length === 0 ? '' : JSON.stringify(further.map(([key, { name }]) => [key, name]));
}

function named(terms: Terms): readonly (readonly [ReferringTerm, string])[] {
  return REFERRING_TERMS.flatMap((term) => {
    const id = terms[term];
    return typeof id === 'string' ? [[term, id] as const] : [];
  });
}

export function keyOf(term: string, id: string): string {
  return `${term}:${id}`;
}
