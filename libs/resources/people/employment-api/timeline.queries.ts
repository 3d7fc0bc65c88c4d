import type { Executor } from '#projections/projection.js';
import { ofAnyLength, type Statement } from '#database/transaction.js';
import { GatheredReads } from '../../listing/gathered-reads.js';
import { revisionKnownAt } from '../../listing/revision-known-at.js';
import { NAMES_VERSION } from '../../naming/reference-versions.js';
import { tagWithFurtherNames } from '../../naming/tag-with-names.js';
import { employmentTag } from '../people/people.reader.js';
import { REFERENCES } from '../people/person-text.js';
import { furtherNames, type Names, namesIn } from '../people/references.js';
import type { BeliefRow, FactRow, HeldBeliefRow } from './employment.presenter.js';
import { TERM_NAMES, type WholeTerms } from '../employment/timeline.js';

/** The parts of an employment's entity tag, except names, as they were when the rest of the row was read. */
export interface ShownEmployment {
  readonly employment_revision: number;
  readonly shown_fact_id: string;
  readonly effect_revision: number | null;
  readonly shown_references: ShownReferences;
}

/** The terms that refer to other resources. */
export type ShownReferences = Pick<WholeTerms, (typeof REFERENCES)[number]['column']>;

const SHOWN = `p.employment_revision, p.fact_id as shown_fact_id, p.effect_revision,
                  json_build_object(${REFERENCES.map(({ column }) => `'${column}', p.${column}`).join(', ')}) as shown_references`;

/**
 * The entity tag of a response with the history of an employment: the employment's own, extended by the other names that the response
 * shows. `references` covers everything shown and the employment.
 */
export function historyTag(shown: ShownEmployment, references: Names): string {
  const { employment_revision, shown_fact_id: fact_id, effect_revision, shown_references: terms } = shown;
  const tag = employmentTag({ employment_revision, fact_id, effect_revision, ...namesIn(references, terms) });
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
  /** Whether the person's creation is complete; to readers, the person does not exist before. */
  readonly is_created: boolean;
  /** The version of the names of other resources (`ReferenceNamesCache`); null where none was ever named. */
  readonly names_version: number | null;
  /** The display name of the manager that the person shows; null where there is none. */
  readonly shown_manager_name: string | null;
}

/** A belief, with the display name of its manager; null where there is none. */
export interface NamedBeliefRow extends BeliefRow {
  readonly manager_name: string | null;
}

/** What was believed at a moment of knowledge, oldest first. */
export interface Believed {
  readonly moment: Moment;
  readonly beliefs: readonly NamedBeliefRow[];
}

type BelievedRow = Omit<Moment, 'shown_references'> &
  NamedBeliefRow & { readonly [Column in keyof ShownReferences as `shown_${Column}`]: ShownReferences[Column] };

/** What a belief shows of the fact that made it. */
const OF_FACT = 'f.correction_reason, f.corrects, f.actor_type, f.actor_id, f.approver_type, f.approver_id, f.recorded_at';

function lastRevisionBy(personId: string, knownAt: string): string {
  return `coalesce(${revisionKnownAt(personId, knownAt)}, -1)`;
}

function managerOf(alias: string): string {
  return `(select m.display_name from people m where m.organisation_id = $1 and m.person_id = ${alias}.manager_id and m.identity_revision is not null)`;
}

/** Whether `known` holds a revision, in terms of its ends, of which the primary key has the lower one. */
function heldAt(revision: string): string {
  return `b.known_from <= ${revision} and (upper_inf(b.known) or upper(b.known) > ${revision})`;
}

/** The same for `valid` and a day. */
function inForceOn(day: string): string {
  return `b.valid_from <= ${day} and (upper_inf(b.valid) or upper(b.valid) > ${day})`;
}

/** SQL of what the person shows and what was believed, one row a belief; the person alone where there was none. The parameters are SQL expressions. */
function believedText({
  personId,
  knownAt,
  day,
}: {
  readonly personId: string;
  readonly knownAt: string | null;
  readonly day: string | null;
}): string {
  const revision = knownAt === null ? 'coalesce(p.employment_revision, -1)' : 'n.revision';
  const revisionBy = knownAt === null ? '' : ` cross join (select ${lastRevisionBy(personId, knownAt)} as revision offset 0) n`;
  return `
  select p.identity_revision is not null as is_created, p.employment_revision, p.fact_id as shown_fact_id, p.effect_revision, ${REFERENCES.map(({ column }) => `p.${column} as shown_${column}`).join(', ')},
         ${managerOf('p')} as shown_manager_name, ${NAMES_VERSION} as names_version, ${revision} as revision,
         lower(b.valid) as valid_from, upper(b.valid) as valid_to, b.employed, b.fact_id, ${TERM_NAMES.map((name) => `b.${name}`).join(', ')},
         ${managerOf('b')} as manager_name, ${OF_FACT}
    from people p${revisionBy}
    left join (employment_beliefs b
               join employment_facts f on f.organisation_id = b.organisation_id and f.person_id = b.person_id and f.fact_id = b.fact_id)
      on b.organisation_id = p.organisation_id and b.person_id = p.person_id
     and ${knownAt === null ? 'upper_inf(b.known)' : heldAt(revision)}${day === null ? '' : ` and ${inForceOn(day)}`}
   where p.organisation_id = $1 and p.person_id = ${personId}
   order by b.valid_from`;
}

function believedStatement(isNow: boolean, ofDay: boolean): Omit<Statement, 'values'> {
  const text = believedText({ personId: '$2', knownAt: isNow ? null : '$3', day: ofDay ? (isNow ? '$3::date' : '$4::date') : null });
  return { name: `beliefs-${isNow ? 'now' : 'known-at'}${ofDay ? '-of-a-day' : ''}`, text };
}

/** By whether they are of now, and by whether they are of one day. */
const BELIEVED = [false, true].map((isNow) => [false, true].map((ofDay) => believedStatement(isNow, ofDay)));

/**
 * What was believed at a moment (ISO 8601 to the millisecond, inclusive; null: now); only the segment that holds the day, where one is
 * given. Null where nothing of such a person is projected. The version of a timeline at a moment is its revision + 1.
 */
export async function findBelieved(
  executor: Executor,
  person: { readonly organisationId: string; readonly personId: string },
  knownAt: string | null,
  day: string | null,
): Promise<Believed | null> {
  const { rows } = await executor.query<BelievedRow>({
    ...BELIEVED[Number(knownAt === null)]![Number(day !== null)]!,
    values: [person.organisationId, person.personId, knownAt, day].filter((value) => value !== null),
  });
  return rows.length === 0 ? null : believedOf(rows);
}

function believedOf(rows: readonly BelievedRow[]): Believed {
  const first = rows[0]!;
  const { revision, is_created, names_version, employment_revision, shown_fact_id, effect_revision, shown_manager_name } = first;
  const shown_references = {
    department_id: first.shown_department_id,
    manager_id: first.shown_manager_id,
    work_place_id: first.shown_work_place_id,
    work_type_id: first.shown_work_type_id,
    working_pattern_id: first.shown_working_pattern_id,
  };
  const moment = {
    revision,
    is_created,
    names_version,
    employment_revision,
    shown_fact_id,
    effect_revision,
    shown_manager_name,
    shown_references,
  };
  return { moment, beliefs: first.fact_id === null ? [] : rows };
}

/** `offset 0` keeps PostgreSQL from joining whole tables: each look-up is by primary keys. */
const BELIEVED_OF_DAYS: Omit<Statement, 'values'> = {
  name: 'beliefs-now-of-days',
  text: `select asked.key, believed.*
    from unnest(${['$2::text[]', '$3::text[]', '$4::date[]'].map(ofAnyLength).join(', ')}) as asked(key, person_id, day)
    join lateral (${believedText({ personId: 'asked.person_id', knownAt: null, day: 'asked.day' })} offset 0) believed on true`,
};

/** Reads what is believed now about one day of somebody: reads that arrive together share a statement. One instance for each pool. */
export class BelievedOfDays {
  private readonly gathered = new GatheredReads<Believed>((organisationId, keys) => this.readAll(organisationId, keys));

  constructor(private readonly executor: Executor) {}

  /** As {@link findBelieved}. */
  find(
    { organisationId, personId }: { readonly organisationId: string; readonly personId: string },
    day: string,
  ): Promise<Believed | null> {
    return this.gathered.read(organisationId, `${personId} ${day}`);
  }

  private async readAll(organisationId: string, keys: readonly string[]): Promise<ReadonlyMap<string, Believed>> {
    const asked = keys.map((key) => key.split(' ') as [string, string]);
    if (asked.length === 1) {
      const [personId, day] = asked[0]!;
      const found = await findBelieved(this.executor, { organisationId, personId }, null, day);
      return new Map(found === null ? [] : [[keys[0]!, found]]);
    }
    const values = [organisationId, keys, asked.map(([personId]) => personId), asked.map(([, day]) => day)];
    const { rows } = await this.executor.query<BelievedRow & { readonly key: string }>({ ...BELIEVED_OF_DAYS, values });
    // At most one belief holds a day.
    return new Map(rows.map((row) => [row.key, believedOf([row])]));
  }
}

/** The last revision that was recorded by a time (ISO 8601 to the millisecond, inclusive), -1 before the first. */
export async function findRevision(
  executor: Executor,
  person: { readonly organisationId: string; readonly personId: string },
  knownAt: string,
): Promise<number> {
  const { rows } = await executor.query<{ revision: number }>({
    name: 'revision-at-a-moment',
    text: `select ${lastRevisionBy('$2', '$3')} as revision`,
    values: [person.organisationId, person.personId, knownAt],
  });
  return rows[0]!.revision;
}

/** What was believed at a revision, oldest first. */
export async function listBeliefs(
  executor: Executor,
  person: { readonly organisationId: string; readonly personId: string },
  revision: number,
): Promise<readonly BeliefRow[]> {
  const { rows } = await executor.query<BeliefRow>({
    name: 'list-beliefs',
    text: `select lower(b.valid) as valid_from, upper(b.valid) as valid_to, b.employed, b.fact_id, ${TERM_NAMES.map((name) => `b.${name}`).join(', ')},
                  ${OF_FACT}
             from employment_beliefs b
             join employment_facts f on f.organisation_id = b.organisation_id and f.person_id = b.person_id and f.fact_id = b.fact_id
            where b.organisation_id = $1 and b.person_id = $2 and ${heldAt('$3::bigint')}
            order by b.valid_from`,
    values: [person.organisationId, person.personId, revision],
  });
  return rows;
}

/**
 * Everything that was believed by a version of the timeline, in the order in which it came to be known, then by day: facts that are recorded
 * while this is read belong to later versions. What another fact replaced in the millisecond in which it was recorded is left out: no
 * moment that can be asked for shows it.
 */
export async function listHeldBeliefs(
  executor: Executor,
  person: { readonly organisationId: string; readonly personId: string },
  version: number,
): Promise<readonly HeldBeliefRow[]> {
  const { rows } = await executor.query<HeldBeliefRow>({
    name: 'list-held-beliefs',
    text: `select lower(b.valid) as valid_from, upper(b.valid) as valid_to, b.employed, b.fact_id, ${TERM_NAMES.map((name) => `b.${name}`).join(', ')},
                  k.recorded_at as known_from, u.recorded_at as known_to
             from employment_beliefs b
             join employment_facts k on k.organisation_id = b.organisation_id and k.person_id = b.person_id and k.revision = b.known_from
             left join employment_facts u on u.organisation_id = b.organisation_id and u.person_id = b.person_id
                                         and u.revision = upper(b.known) and u.revision < $3
            where b.organisation_id = $1 and b.person_id = $2 and b.known_from < $3 and (u.recorded_at is null or u.recorded_at > k.recorded_at)
            order by b.known_from, b.valid_from`,
    values: [person.organisationId, person.personId, version],
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
