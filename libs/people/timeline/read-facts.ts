import { prepared, raw, type Sql, sql } from '#database/sql.js';
import type { Executor } from '#projections/projection.js';
import { revisionKnownAt } from '#projections/revision-known-at.js';
import { tagWithFurtherNames } from '#commands/tag-with-names.js';
import { employmentTag } from '../record/present-people.js';
import { type NamedTerms, namesOfTerms, type NamesOfTerms, REFERRING_TERMS } from '../record/person-row.js';
import { furtherNames, type Names } from '../record/references.js';
import type { BeliefRow, FactRow, HeldBeliefRow } from './present-employment.js';
import { TERM_NAMES } from '../employment/timeline.js';

/** The parts of an employment's entity tag, as they were when the rest of the row was read. */
export interface PresentedTermsRow {
  readonly employment_revision: number;
  readonly shown_fact_id: string;
  readonly effect_revision: number | null;
  readonly shown_terms: NamedTerms;
}

/** Columns of a {@link PresentedTermsRow} of `people p`, and the joins that they need. */
const PRESENTED = ((): { readonly columns: Sql; readonly joins: Sql } => {
  const { pairs, joins } = namesOfTerms('p');
  const members = [...REFERRING_TERMS.map((term) => [term, `p.${term}`] as const), ...pairs].map(
    ([name, value]) => `'${name}', ${value}`,
  );
  return {
    columns: raw(
      'p.employment_revision, p.fact_id as shown_fact_id, p.effect_revision, ' +
        `json_build_object(${members.join(', ')}) as shown_terms`,
    ),
    joins,
  };
})();

/**
 * The entity tag of a response with the history of an employment: the employment's own, extended by the other
 * names in the response.
 */
export function historyTag(presented: PresentedTermsRow, names: Names): string {
  const { employment_revision, shown_fact_id: fact_id, effect_revision, shown_terms: terms } = presented;
  return tagWithFurtherNames(
    employmentTag({ employment_revision, fact_id, effect_revision, ...terms }),
    furtherNames(names, terms),
  );
}

/** The person whose history is read. */
interface Person {
  readonly organisationId: string;
  readonly personId: string;
}

const NAMES_OF_FACT = namesOfTerms('f', (term) => `(f.terms ->> '${term}')`);

/**
 * Facts of a person, newest first: at most `count`, recorded before the revision where one is given; each
 * with the person's current content.
 */
export async function listFacts(
  executor: Executor,
  { organisationId, personId }: Person,
  page: { readonly before: number | null; readonly count: number },
): Promise<readonly (FactRow & NamesOfTerms & PresentedTermsRow)[]> {
  const isBefore = page.before === null ? sql`` : sql` and f.revision < ${page.before}`;
  const { rows } = await executor.query<FactRow & NamesOfTerms & PresentedTermsRow>(
    prepared(sql`
      select f.revision, f.fact_id, f.action, f.effective_from, f.terms, f.correction_reason, f.corrects,
        f.corrected_by, f.actor_type, f.actor_id,
             f.approver_type, f.approver_id, f.recorded_at, ${NAMES_OF_FACT.columns}, ${PRESENTED.columns}
        from employment_facts f
        join people p on p.organisation_id = f.organisation_id and p.person_id = f.person_id
        ${PRESENTED.joins} ${NAMES_OF_FACT.joins}
       where f.organisation_id = ${organisationId} and f.person_id = ${personId}${isBefore}
       order by f.revision desc limit ${page.count}`),
  );
  return rows;
}

/**
 * A recorded time: the last revision that was recorded by then, -1 before the first; and the person's current
 * content.
 */
export interface EmploymentRevision extends PresentedTermsRow {
  readonly revision: number;
  /** Whether the person's creation is complete; before that, readers do not see the person. */
  readonly is_created: boolean;
}

/** A belief with the names of its references. */
export interface NamedBeliefRow extends BeliefRow, NamedTerms {}

/** The beliefs at a recorded time, oldest first. */
export interface Believed {
  readonly moment: EmploymentRevision;
  readonly beliefs: readonly NamedBeliefRow[];
}

/** The columns of a belief and of its fact. */
const BELIEF = raw(
  'lower(b.valid) as valid_from, upper(b.valid) as valid_to, b.employed, b.fact_id, ' +
    `${TERM_NAMES.map((name) => `b.${name}`).join(', ')}`,
);
const OF_FACT = raw(
  'f.correction_reason, f.corrects, f.actor_type, f.actor_id, f.approver_type, f.approver_id, f.recorded_at',
);
const NAMES_OF_BELIEF = namesOfTerms('b');

/** Whether `known` contains a revision, in terms of its ends, of which the primary key has the lower one. */
function heldAt(revision: Sql): Sql {
  return sql`b.known_from <= ${revision} and (upper_inf(b.known) or upper(b.known) > ${revision})`;
}

/** The same for `valid` and a day. */
function inForceOn(day: string): Sql {
  return sql`b.valid_from <= ${day}::date and (upper_inf(b.valid) or upper(b.valid) > ${day}::date)`;
}

/**
 * The beliefs at a time (ISO 8601 to the millisecond, inclusive; null: now); only the segment of the day, if
 * one is given. Null if nothing of such a person is projected. The version of a timeline at a time is its
 * revision + 1.
 */
export async function findBelieved(
  executor: Executor,
  { organisationId, personId }: Person,
  knownAt: string | null,
  day: string | null,
): Promise<Believed | null> {
  const revision = knownAt === null ? sql`coalesce(p.employment_revision, -1)` : sql`n.revision`;
  const revisionBy =
    knownAt === null
      ? sql``
      : sql`cross join lateral (select coalesce(${revisionKnownAt('p', knownAt)}, -1) as revision offset 0) n`;
  // One row per belief; the person alone if there was none.
  const { rows } = await executor.query<EmploymentRevision & NamedBeliefRow>(
    prepared(sql`
      select p.identity_revision is not null as is_created, ${revision} as revision, ${PRESENTED.columns}, ${BELIEF},
        ${NAMES_OF_BELIEF.columns}, ${OF_FACT}
        from people p ${revisionBy}
        left join (employment_beliefs b
                   join employment_facts f on f.organisation_id = b.organisation_id and f.person_id = b.person_id
                     and f.fact_id = b.fact_id)
          on b.organisation_id = p.organisation_id and b.person_id = p.person_id
         and ${knownAt === null ? sql`upper_inf(b.known)` : heldAt(revision)}${
           day === null
             ? sql``
             : sql` and
           ${inForceOn(day)}`
         }
        ${PRESENTED.joins} ${NAMES_OF_BELIEF.joins}
       where p.organisation_id = ${organisationId} and p.person_id = ${personId}
       order by b.valid_from`),
  );
  const instant = rows[0];
  if (instant === undefined) return null;
  return { moment: instant, beliefs: instant.fact_id === null ? [] : rows };
}

/**
 * The last revision that was recorded by a time (ISO 8601 to the millisecond, inclusive), -1 before the
 * first.
 */
export async function findRevision(
  executor: Executor,
  { organisationId, personId }: Person,
  knownAt: string,
): Promise<number> {
  const person = sql`(select ${organisationId}::text as organisation_id, ${personId}::text as person_id) p`;
  const { rows } = await executor.query<{ revision: number }>(
    prepared(sql`select coalesce(${revisionKnownAt('p', knownAt)}, -1) as revision from ${person}`),
  );
  return rows[0]!.revision;
}

/** The beliefs at a revision, oldest first. */
export async function listBeliefs(
  executor: Executor,
  { organisationId, personId }: Person,
  revision: number,
): Promise<readonly BeliefRow[]> {
  const { rows } = await executor.query<BeliefRow>(
    prepared(sql`
      select ${BELIEF}, ${OF_FACT}
        from employment_beliefs b
        join employment_facts f on f.organisation_id = b.organisation_id and f.person_id = b.person_id
          and f.fact_id = b.fact_id
       where b.organisation_id = ${organisationId} and b.person_id = ${personId} and ${heldAt(sql`${revision}::bigint`)}
       order by b.valid_from`),
  );
  return rows;
}

/**
 * All beliefs up to a version of the timeline, in the order of their recorded times, then by day: facts that
 * are recorded during this read belong to later versions. Beliefs that another fact replaced in the
 * millisecond in which they were recorded are left out, because no `known_at` returns them.
 */
export async function listHeldBeliefs(
  executor: Executor,
  { organisationId, personId }: Person,
  version: number,
): Promise<readonly (HeldBeliefRow & NamedTerms)[]> {
  const { rows } = await executor.query<HeldBeliefRow & NamedTerms>(
    prepared(sql`
      select ${BELIEF}, ${NAMES_OF_BELIEF.columns}, k.recorded_at as known_from, u.recorded_at as known_to
        from employment_beliefs b
        join employment_facts k on k.organisation_id = b.organisation_id and k.person_id = b.person_id
          and k.revision = b.known_from
        left join employment_facts u on u.organisation_id = b.organisation_id and u.person_id = b.person_id
                                    and u.revision = upper(b.known) and u.revision < ${version}
        ${NAMES_OF_BELIEF.joins}
       where b.organisation_id = ${organisationId} and b.person_id = ${personId} and b.known_from < ${version}
         and (u.recorded_at is null or u.recorded_at > k.recorded_at)
       order by b.known_from, b.valid_from`),
  );
  return rows;
}

/** Facts recorded after the revision `after` up to `until`, in order. */
export async function factsBetween(
  executor: Executor,
  { organisationId, personId }: Person,
  after: number,
  until: number,
): Promise<readonly FactRow[]> {
  const { rows } = await executor.query<FactRow>(
    prepared(sql`
      select revision, fact_id, action, effective_from, terms, correction_reason, corrects, corrected_by, actor_type,
        actor_id,
             approver_type, approver_id, recorded_at
        from employment_facts
       where organisation_id = ${organisationId} and person_id = ${personId} and revision > ${after}
         and revision <= ${until} order by revision`),
  );
  return rows;
}
