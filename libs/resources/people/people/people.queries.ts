import type { Executor } from '#projections/projection.js';
import { tagWithNames } from '../../naming/tag-with-names.js';
import { type NamedReferences, referencesOf } from './person-text.js';

/** A row of `people` with today's names of what it refers to. Times are JS Dates, dates `YYYY-MM-DD`. */
export interface PersonRow {
  readonly person_id: string;
  readonly identity_revision: number;
  readonly work_email: string;
  readonly first_name: string | null;
  readonly preferred_name: string | null;
  readonly last_name: string | null;
  readonly display_name: string;
  readonly staff_id: string | null;
  readonly created_at: Date;
  readonly identity_updated_at: Date;
  readonly employment_revision: number;
  readonly next_change_on: string | null;
  readonly status: string;
  /** Of the period whose terms are shown. */
  readonly start_date: string | null;
  readonly end_date: string | null;
  /** Of a period that was recorded after that one and comes later; null where there is none. */
  readonly coming_start_date: string | null;
  readonly coming_end_date: string | null;
  readonly fact_id: string;
  readonly effective_from: string | null;
  readonly effective_to: string | null;
  readonly job_title: string | null;
  readonly department_id: string | null;
  readonly department_name: string | null;
  readonly manager_id: string | null;
  readonly manager_name: string | null;
  readonly work_place_id: string | null;
  readonly work_place_label: string | null;
  readonly work_type_id: string | null;
  readonly work_type_label: string | null;
  readonly working_pattern_id: string | null;
  readonly working_pattern_label: string | null;
  readonly contracted_weekly_minutes: number | null;
  readonly full_time_weekly_minutes: number | null;
  readonly fte: number | null;
  readonly employment_updated_at: Date;
  readonly effect_updated_at: Date | null;
  readonly updated_at: Date;
  readonly sync_mark: Date;
}

const COLUMNS = `
  p.person_id, p.identity_revision, p.work_email, p.first_name, p.preferred_name, p.last_name, p.display_name, p.staff_id,
  p.created_at, p.identity_updated_at, p.employment_revision, p.next_change_on, p.status, p.start_date, p.end_date,
  p.coming_start_date, p.coming_end_date, p.fact_id,
  p.effective_from, p.effective_to, p.job_title, p.department_id, d.name as department_name, p.manager_id,
  m.display_name as manager_name, p.work_place_id, w.label as work_place_label, p.work_type_id, t.label as work_type_label,
  p.working_pattern_id, k.label as working_pattern_label, p.contracted_weekly_minutes, p.full_time_weekly_minutes, p.fte,
  p.employment_updated_at, p.effect_updated_at, p.updated_at, p.sync_mark`;

/** Joins what the row refers to, as it is called today. */
const NAMES = `
  left join org_units d on d.organisation_id = p.organisation_id and d.id = p.department_id
  left join people m on m.organisation_id = p.organisation_id and m.person_id = p.manager_id
  left join work_places w on w.organisation_id = p.organisation_id and w.id = p.work_place_id
  left join work_types t on t.organisation_id = p.organisation_id and t.id = p.work_type_id
  left join working_patterns k on k.organisation_id = p.organisation_id and k.id = p.working_pattern_id`;

/** For queries whose first value is the organisation. */
export const EXISTS = 'p.organisation_id = $1 and p.identity_revision is not null';

const FIND = `select ${COLUMNS} from people p ${NAMES} where ${EXISTS} and p.person_id = $2`;

/** The person; null where this organisation has none of this id. */
export async function findPerson(executor: Executor, organisationId: string, personId: string): Promise<PersonRow | null> {
  const { rows } = await executor.query<PersonRow>({ name: 'find-person', text: FIND, values: [organisationId, personId] });
  return rows[0] ?? null;
}

/** Where a page of people begins, and in which order it runs. */
export interface PeoplePage {
  readonly organisationId: string;
  /** `creation`; `change` (with `since`: in the order of marks); `latest` (most recently updated first). */
  readonly order: 'creation' | 'change' | 'latest';
  /** Inclusive, ISO 8601; null for no lower bound. */
  readonly since: string | null;
  /** Marks after this one are left for the next sync, so that a sync ends while writes go on; null for the first page. */
  readonly horizon: string | null;
  /** The last row of the page before: its time in this order, and its id. */
  readonly after: { readonly time: string; readonly id: string } | null;
  /** Rows to fetch. */
  readonly count: number;
}

/** What each order of a list goes by. */
export const ORDERS = {
  creation: { column: 'created_at', comparison: '>', direction: 'asc' },
  change: { column: 'sync_mark', comparison: '>', direction: 'asc' },
  latest: { column: 'updated_at', comparison: '<', direction: 'desc' },
} as const;

/**
 * The entity tag of a person: both streams' revisions, the fact in force, which may change without an event, and the names of what they
 * refer to, which others change. `references`: `PersonJson.references` of the same moment.
 */
export function personTag(row: Pick<PersonRow, 'identity_revision' | 'employment_revision' | 'fact_id'>, references: string): string {
  return tagWithNames(`p${row.identity_revision}.e${row.employment_revision}.${factMark(row.fact_id)}`, references);
}

/** The same of a row with joined names. */
export function personRowTag(row: PersonRow): string {
  return personTag(row, referencesOf(row));
}

/** The entity tag of an employment: the timeline's version, the fact in force (contract part 3), and the names of what it refers to. */
export function employmentTag(row: Pick<PersonRow, 'employment_revision' | 'fact_id'> & NamedReferences): string {
  return tagWithNames(`t${row.employment_revision + 1}.${factMark(row.fact_id)}`, referencesOf(row));
}

/** Enough of a fact's id to tell it from any other of the person. */
function factMark(factId: string): string {
  return factId.slice(3, 11);
}
