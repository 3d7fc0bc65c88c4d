import { raw, type Sql, sql } from '#database/sql.js';
import type { Reader } from '#http/sight.js';
import { ERASED } from '#kernel/erasure.js';
import type { LocalDate } from '#kernel/dates.js';
import { conditionsOfPlace } from '#organisation/org-unit/org-unit.js';
import type { Dates } from './time-off.rules.js';

/**
 * The maximum number of records. Past ones are left out first, then those furthest ahead. Writing a calendar
 * of more records would block other requests for over half a second.
 */
export const MAX_ABSENCES = 2_000;

/** Approved time off of a person. */
export interface Absence extends Dates {
  readonly id: string;
  readonly display_name: string;
  readonly category_label: string;
  /** The number of changes since it was requested. */
  readonly changes: number;
  readonly updated_at: Date;
}

/**
 * Whose time off is read: a person's, that of the people of an org unit and the units below it, or that of
 * all whom the executor finds.
 */
export type AbsentPeople = { readonly personId: string } | { readonly orgUnitId: string } | 'all';

/**
 * Approved records that overlap the days from three months before a day to eighteen months after it, of
 * people who are not erased. The people of a unit are those of today.
 */
export async function readAbsences(
  executor: Reader,
  organisationId: string,
  people: AbsentPeople,
  today: LocalDate,
): Promise<readonly Absence[]> {
  const { rows } = await executor.query<Absence>(sql`
    select t.id, t.start_date, t.end_date, t.start_day_part, t.end_day_part, t.updated_at, p.display_name,
           coalesce(c.label, t.category_id) as category_label, jsonb_array_length(t.history) - 1 as changes
      from time_off t
      join people p on p.organisation_id = t.organisation_id and p.person_id = t.person_id
      left join time_off_categories c on c.organisation_id = t.organisation_id and c.id = t.category_id
     where t.organisation_id = ${organisationId} and t.status_code = 'approved'
       and daterange(t.start_date, t.end_date, '[]') && daterange((${today}::date - interval '3 months')::date,
         (${today}::date + interval '18 months')::date, '[]')
       and p.identity_revision is not null and p.work_email <> ${raw(`'${ERASED}'`)} and ${isOf(organisationId, people)}
     order by t.end_date < ${today}::date, t.start_date, t.id limit ${raw(String(MAX_ABSENCES))}`);
  return rows;
}

function isOf(organisationId: string, people: AbsentPeople): Sql {
  if (people === 'all') return sql`true`;
  if ('personId' in people) return sql`p.person_id = ${people.personId}`;
  return conditionsOfPlace(organisationId, 'p', { department_id: people.orgUnitId, include_units: true })[0]!;
}
