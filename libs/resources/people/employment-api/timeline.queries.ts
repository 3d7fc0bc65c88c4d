import type { Executor } from '#projections/projection.js';
import { tagWithFurtherNames } from '../../naming/tag-with-names.js';
import { employmentTag } from '../people/people.reader.js';
import { REFERENCES } from '../people/person-text.js';
import { furtherNames, namesIn, type References } from '../people/references.js';
import type { BeliefRow, FactRow } from './employment.presenter.js';
import { TERM_NAMES, type WholeTerms } from '../employment/timeline.js';

/** The parts of an employment's entity tag, except names, as they were when the rest of the row was read. */
export interface ShownEmployment {
  readonly employment_revision: number;
  readonly shown_fact_id: string;
  readonly shown_references: ShownReferences;
}

/** The terms that refer to other resources. */
export type ShownReferences = Pick<WholeTerms, (typeof REFERENCES)[number]['column']>;

const SHOWN = `p.employment_revision, p.fact_id as shown_fact_id,
                  json_build_object(${REFERENCES.map(({ column }) => `'${column}', p.${column}`).join(', ')}) as shown_references`;

/**
 * The entity tag of a response with the history of an employment: the employment's own, extended by the other names that the response
 * shows. `references` covers everything shown and the employment.
 */
export function historyTag(shown: ShownEmployment, references: References): string {
  const { employment_revision, shown_fact_id: fact_id, shown_references: terms } = shown;
  const tag = employmentTag({ employment_revision, fact_id, ...namesIn(references, terms) });
  return tagWithFurtherNames(tag, furtherNames(references, terms));
}

/** Facts of a person, newest first: at most `count`, recorded before the revision where one is given; each with what the person shows. */
export async function listFacts(
  executor: Executor,
  person: { readonly organisationId: string; readonly personId: string },
  page: { readonly before: number | null; readonly count: number },
): Promise<readonly (FactRow & ShownEmployment)[]> {
  const { rows } = await executor.query<FactRow & ShownEmployment>({
    name: 'list-facts',
    text: `select f.revision, f.fact_id, f.action, f.effective_from, f.terms, f.correction_reason, f.corrects, f.corrected_by, f.actor_type, f.actor_id,
                  f.approver_type, f.approver_id, f.recorded_at, ${SHOWN}
             from employment_facts f
             join people p on p.organisation_id = f.organisation_id and p.person_id = f.person_id
            where f.organisation_id = $1 and f.person_id = $2 and ($3::bigint is null or f.revision < $3)
            order by f.revision desc limit $4`,
    values: [person.organisationId, person.personId, page.before, page.count],
  });
  return rows;
}

/** A moment of knowledge: the last revision that was recorded by then, -1 before the first; and what the person shows now. */
export interface Moment extends ShownEmployment {
  readonly revision: number;
}

/**
 * The moments of knowledge at these times (ISO 8601 to the millisecond, inclusive); null means now. The version of a timeline at a moment
 * is its revision + 1.
 */
export async function findMoments(
  executor: Executor,
  person: { readonly organisationId: string; readonly personId: string },
  knownAt: readonly (string | null)[],
): Promise<readonly Moment[]> {
  const { rows } = await executor.query<Moment>({
    name: 'moments-of-knowledge',
    text: `select coalesce((select max(f.revision) from employment_facts f
                             where f.organisation_id = $1 and f.person_id = $2 and (t.known_at is null or f.recorded_at <= t.known_at)), -1) as revision,
                  ${SHOWN}
             from unnest($3::timestamptz[]) with ordinality as t(known_at, place)
             join people p on p.organisation_id = $1 and p.person_id = $2 order by t.place`,
    values: [person.organisationId, person.personId, knownAt],
  });
  return rows;
}

/** What was believed at a revision, oldest first; only the segment that holds the day, where one is given. */
export async function listBeliefs(
  executor: Executor,
  person: { readonly organisationId: string; readonly personId: string },
  revision: number,
  day: string | null = null,
): Promise<readonly BeliefRow[]> {
  const { rows } = await executor.query<BeliefRow>({
    name: 'list-beliefs',
    text: `select lower(b.valid) as valid_from, upper(b.valid) as valid_to, b.employed, b.fact_id, ${TERM_NAMES.map((name) => `b.${name}`).join(', ')},
                  f.correction_reason, f.corrects, f.actor_type, f.actor_id, f.approver_type, f.approver_id, f.recorded_at
             from employment_beliefs b
             join employment_facts f on f.organisation_id = b.organisation_id and f.person_id = b.person_id and f.fact_id = b.fact_id
            where b.organisation_id = $1 and b.person_id = $2 and b.known @> $3::bigint and ($4::date is null or b.valid @> $4::date)
            order by b.valid_from`,
    values: [person.organisationId, person.personId, revision, day],
  });
  return rows;
}

/** Facts recorded after the revision `after` up to `until`, in order. */
export async function factsBetween(
  executor: Executor,
  person: { readonly organisationId: string; readonly personId: string },
  after: number,
  until: number,
): Promise<readonly FactRow[]> {
  const { rows } = await executor.query<FactRow>({
    name: 'facts-between',
    text: `select revision, fact_id, action, effective_from, terms, correction_reason, corrects, corrected_by, actor_type, actor_id,
                  approver_type, approver_id, recorded_at
             from employment_facts
            where organisation_id = $1 and person_id = $2 and revision > $3 and revision <= $4 order by revision`,
    values: [person.organisationId, person.personId, after, until],
  });
  return rows;
}
