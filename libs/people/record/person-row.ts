import { emailKey } from '#http/fields/email-address.js';
import { raw, type Sql } from '#database/sql.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { LocalDate } from '#kernel/dates.js';
import type { Row, Stream } from '#projections/projection.js';
import { factsOf } from '../employment/history.js';
import { nextChangeAfter, employmentAsOf, unchangedSince } from '../employment/employment-as-of.js';
import { type Fact, fullTimeEquivalent, NO_TERMS, type CompleteTerms } from '../employment/timeline.js';
import { displayNameOf, type PersonState, type CompleteIdentity } from '../person/person.js';

/** The identity part of a person's row. Times are ISO 8601 in UTC with milliseconds. */
export interface PresentedIdentity extends CompleteIdentity {
  readonly display_name: string;
  readonly created_at: string;
  readonly identity_updated_at: string;
}

/** The employment part of a person's row. Dates are `YYYY-MM-DD`. */
export interface PresentedEmployment extends CompleteTerms {
  /** Null if no fact is projected yet. */
  readonly status: string | null;
  /** The first day of the period of these terms. */
  readonly start_date: string | null;
  readonly end_date: string | null;
  /** The first day of a later recorded period; null if there is none. */
  readonly coming_start_date: string | null;
  readonly coming_end_date: string | null;
  readonly fact_id: string;
  readonly effective_from: string | null;
  readonly effective_to: string | null;
  readonly fte: number | null;
  readonly employment_updated_at: string;
}

/**
 * The current names of the resources that terms refer to; null without a reference, or if the resource does
 * not exist.
 */
export interface NamesOfTerms {
  readonly department_name: string | null;
  readonly manager_name: string | null;
  readonly work_place_label: string | null;
  readonly work_type_label: string | null;
  readonly working_pattern_label: string | null;
}

/** The part of a row from the person's own stream. */
export interface IdentityOfRow extends PresentedIdentity {
  readonly identity_revision: number;
}

/** The part of a row from the employment stream, with current names. */
export interface EmploymentOfRow extends PresentedEmployment, NamesOfTerms {
  readonly employment_revision: number;
}

/** A row of `people` with the current names of its references. */
export interface PersonRow extends IdentityOfRow, EmploymentOfRow {
  readonly person_id: string;
  /**
   * The revision of the stream of days on which a dated change took effect, and the time of the last one;
   * null if there is none.
   */
  readonly effect_revision: number | null;
  readonly effect_updated_at: string | null;
}

/** The columns of the person's own stream, from the state after all of its events. */
export function identityColumns(stream: Stream, state: PersonState): Row {
  if (state.status === 'none')
    throw new Error(`stream ${stream[0]!.stream} does not begin with the creation of a person`);
  const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
  const { work_email, first_name, preferred_name, last_name, staff_id } = state.identity;
  const presented = {
    work_email,
    first_name,
    preferred_name,
    last_name,
    display_name: displayNameOf(state.identity),
    staff_id,
    created_at: stream[0]!.recordedAt,
    identity_updated_at: stream.at(-1)!.recordedAt,
  } satisfies PresentedIdentity;
  return {
    organisation_id: organisationId,
    person_id: entityId,
    identity_revision: stream.at(-1)!.revision,
    ...presented,
    shown_identity: JSON.stringify(presented),
    email_key: emailKey(work_email),
  };
}

/**
 * The employment of a person's record on a day, from all known facts and the time of the last. Throws if
 * there is no fact.
 */
export function employmentOn(facts: readonly Fact[], day: LocalDate, updatedAt: string): PresentedEmployment {
  const { period, latest, factId, effectiveFrom, effectiveTo, terms } = employmentAsOf(facts, day)!;
  const coming = latest === period ? null : latest;
  return {
    status: latest.finalDay === null ? 'active' : 'ended',
    start_date: period.start,
    end_date: period.finalDay,
    coming_start_date: coming?.start ?? null,
    coming_end_date: coming?.finalDay ?? null,
    fact_id: factId,
    effective_from: effectiveFrom,
    effective_to: effectiveTo,
    ...terms,
    fte: fullTimeEquivalent(terms),
    employment_updated_at: updatedAt,
  };
}

/**
 * The columns of the employment stream, from all of its events, as of a day. `dueAfter`: the last day whose
 * changes are recorded.
 */
export function employmentColumns(stream: Stream, today: LocalDate, dueAfter = today): Row {
  const { organisationId, entityId } = partsOfStream(stream[0]!.stream);
  const facts = factsOf(stream);
  const employment = employmentOn(facts, today, stream.at(-1)!.recordedAt);
  return {
    organisation_id: organisationId,
    person_id: entityId,
    employment_revision: stream.at(-1)!.revision,
    employment_as_of: today,
    next_change_on: nextChangeAfter(facts, dueAfter),
    shown_since: unchangedSince(facts, today),
    ...employment,
    shown_employment: JSON.stringify(employment),
  };
}

/** The latest of several times in ISO 8601 in UTC with milliseconds, which sort as text. */
export function latestOf(...times: readonly (string | null)[]): string {
  return times.reduce<string>((last, time) => (time !== null && time > last ? time : last), '');
}

/**
 * The columns that statements read of a person: {@link PERSON_COLUMNS}, and the names of the references of
 * the terms.
 */
export interface StoredPerson extends NamesOfTerms {
  readonly person_id: string;
  readonly identity_revision: number;
  readonly employment_revision: number | null;
  readonly shown_identity: string;
  readonly shown_employment: string | null;
  readonly effect_revision: number | null;
  readonly effect_updated_at: Date | null;
}

/** The columns of `people p` for a {@link StoredPerson}: names are added with {@link namesOfTerms}. */
export const PERSON_COLUMNS = raw(
  'p.person_id, p.identity_revision, p.employment_revision, p.shown_identity, p.shown_employment, p.effect_revision, ' +
    'p.effect_updated_at',
);

/** The content while no fact is projected. */
const NO_EMPLOYMENT = {
  ...NO_TERMS,
  ...{ status: null, start_date: null, end_date: null, coming_start_date: null, coming_end_date: null },
  ...{ fact_id: '', effective_from: null, effective_to: null, fte: null, employment_updated_at: '' },
} satisfies PresentedEmployment;

/** The row of a statement; with another employment than the stored one, if given. */
export function personOf(stored: StoredPerson, employment = employmentOf(stored)): PersonRow {
  const { person_id, identity_revision, employment_revision, shown_identity, effect_revision, effect_updated_at } =
    stored;
  const { department_name, manager_name, work_place_label, work_type_label, working_pattern_label } = stored;
  return {
    person_id,
    identity_revision,
    employment_revision: employment_revision ?? -1,
    ...(JSON.parse(shown_identity) as PresentedIdentity),
    ...employment,
    effect_revision,
    effect_updated_at: effect_updated_at?.toISOString() ?? null,
    ...{ department_name, manager_name, work_place_label, work_type_label, working_pattern_label },
  };
}

function employmentOf({ shown_employment }: StoredPerson): PresentedEmployment {
  return shown_employment === null ? NO_EMPLOYMENT : (JSON.parse(shown_employment) as PresentedEmployment);
}

/**
 * The resources of terms: the term, their table with its columns, and the name's member of {@link
 * NamesOfTerms}.
 */
const REFERRED = [
  ['department_id', 'org_units', 'id', 'name', 'department_name'],
  ['manager_id', 'people', 'person_id', 'display_name', 'manager_name'],
  ['work_place_id', 'work_places', 'id', 'label', 'work_place_label'],
  ['work_type_id', 'work_types', 'id', 'label', 'work_type_label'],
  ['working_pattern_id', 'working_patterns', 'id', 'label', 'working_pattern_label'],
] as const;

/** A term that refers to another resource. */
export type ReferringTerm = (typeof REFERRED)[number][0];

export const REFERRING_TERMS: readonly ReferringTerm[] = REFERRED.map(([term]) => term);

/** The terms that refer to other resources, with their names. */
export interface NamedTerms extends Pick<CompleteTerms, ReferringTerm>, NamesOfTerms {}

/** The current names of references, by term and id. */
export function namesIn(terms: NamedTerms): readonly (readonly [term: ReferringTerm, id: string, name: string])[] {
  return REFERRED.flatMap(([term, , , , name]) => {
    const [id, found] = [terms[term], terms[name]];
    return id === null || found === null ? [] : [[term, id, found] as const];
  });
}

/**
 * SQL of the current names of the references of a table's terms: columns named as in {@link NamesOfTerms},
 * the same as pairs of name and expression, and their joins.
 *
 * @param of - the table, which has an `organisation_id`
 * @param idOf - the expression of a term's id
 */
export function namesOfTerms(
  of: string,
  idOf = (term: ReferringTerm): string => `${of}.${term}`,
): { readonly columns: Sql; readonly pairs: readonly (readonly [name: string, value: string])[]; readonly joins: Sql } {
  const pairs = REFERRED.map(([term, , , name, as]) => [as, `${of}_${term}.${name}`] as const);
  const joins = REFERRED.map(
    ([term, table, id]) =>
      `left join ${table} ${of}_${term} on ${of}_${term}.organisation_id = ${of}.organisation_id
        and ${of}_${term}.${id} = ${idOf(term)}`,
  );
  return {
    columns: raw(pairs.map(([as, value]) => `${value} as ${as}`).join(', ')),
    pairs,
    joins: raw(joins.join('\n')),
  };
}
