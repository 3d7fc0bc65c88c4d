import type { LocalDate } from '#kernel/dates.js';
import type { Executor } from '#projections/projection.js';
import { STANDS } from '../marker/payroll-marker.api.js';
import { PAYROLL_MARKERS, type PayrollMarker } from '../marker/payroll-marker.js';
import type { Presence } from './payroll-readiness.rules.js';

/** The data that is present of a person, read from the tables without decrypting anything. */
export interface ReadinessRow extends Omit<Presence, 'staff_id' | 'custom_fields'> {
  readonly person_id: string;
  readonly display_name: string;
  readonly staff_id: string | null;
  readonly created_at: Date;
  readonly shares_staff_id: boolean;
  readonly exceeds_full_time: boolean;
  readonly missing_custom_fields: readonly string[];
}

/** The start of a page of people: after the one created at this time, with this id. */
export interface ReadinessPlace {
  readonly createdAt: string;
  readonly personId: string;
}

export interface ReadinessPage {
  readonly organisationId: string;
  /** People who left before this day are not listed. */
  readonly leftSince: LocalDate;
  /** In the organisation's time zone: later markers do not count yet. */
  readonly today: LocalDate;
  readonly after: ReadinessPlace | null;
  readonly count: number;
}

/** SQL of whether the latest standing marker of a person up to today records the data as present. */
function presenceOf(marker: PayrollMarker): string {
  return `coalesce((select m.state <> 'absent' from payroll_markers m
      where m.organisation_id = $1 and m.person_id = p.person_id and m.marker = '${marker}' and m.effective_date <= $6
        and ${STANDS}
      order by m.effective_date desc, m.revision desc limit 1), false) as ${marker}`;
}

/** An encrypted value whose key was erased counts as missing. */
const READINESS = `
select p.person_id, p.display_name, p.staff_id, p.created_at,
    k.key is not null as work_email, p.start_date is not null as start_date, p.job_title is not null as job_title,
    p.department_id is not null as department, p.manager_id is not null as manager,
    p.work_type_id is not null as work_type,
    p.contracted_weekly_minutes is not null as contracted_weekly_minutes,
    p.full_time_weekly_minutes is not null as full_time_weekly_minutes,
    p.working_pattern_id is not null as working_pattern,
    k.key is not null and f.date_of_birth is not null as date_of_birth, k.key is not null
    and f.home_address is not null as home_address,
    exists (select from people o where o.organisation_id = $1 and o.staff_id = p.staff_id and o.person_id <> p.person_id
               and o.identity_revision is not null) as shares_staff_id,
    coalesce(p.contracted_weekly_minutes > p.full_time_weekly_minutes, false) as exceeds_full_time,
    array(select c.key from custom_fields c
           where c.organisation_id = $1 and c.sensitivity = 'payroll' and c.is_required and c.api_access <> 'hidden'
             and (k.key is null or v.sealed_values -> c.id ->> 'sealed' is null)
           order by c.display_order, c.key) as missing_custom_fields,
    ${PAYROLL_MARKERS.map(presenceOf).join(', ')}
  from people p
  left join person_keys k on k.organisation_id = $1 and k.person_id = p.person_id
  left join personal_profiles f on f.organisation_id = $1 and f.person_id = p.person_id
  left join person_custom_fields v on v.organisation_id = $1 and v.person_id = p.person_id
 where p.organisation_id = $1 and p.identity_revision is not null and (p.end_date is null or p.end_date >= $2)
   and ($3::timestamptz is null or (p.created_at, p.person_id) > ($3::timestamptz, $4::text))
 order by p.created_at, p.person_id limit $5`;

/** The people who are relevant for payroll, in the order of creation. */
export async function listReadiness(executor: Executor, page: ReadinessPage): Promise<readonly ReadinessRow[]> {
  const values = [
    page.organisationId,
    page.leftSince,
    page.after?.createdAt ?? null,
    page.after?.personId ?? null,
    page.count,
    page.today,
  ];
  const { rows } = await executor.query<ReadinessRow>({ name: 'list-payroll-readiness', text: READINESS, values });
  return rows;
}
