import type { LocalDate } from '#kernel/dates.js';
import type { Executor } from '#projections/projection.js';
import type { PeopleCounts, ProviderCounts } from './integration-readiness.rules.js';

/** SQL for people who are employed on the day `$2` or start later. */
const CURRENT = `
  select p.*, p.staff_id is not null and count(*) over (partition by p.staff_id) > 1 as shares_staff_id
    from people p where p.organisation_id = $1 and p.identity_revision is not null and (p.end_date is null
      or p.end_date >= $2)`;

const PEOPLE = `
select count(*)::integer as people,
    count(*) filter (where p.start_date is null)::integer as without_start_date,
    count(*) filter (where p.shares_staff_id)::integer as sharing_staff_ids,
    count(*) filter (where p.staff_id is null)::integer as without_staff_id,
    count(*) filter (where p.department_id is null)::integer as without_department,
    count(*) filter (where p.manager_id is null)::integer as without_manager,
    count(*) filter (where p.working_pattern_id is null)::integer as without_working_pattern,
    count(*) filter (where d.archived_at is not null)::integer as in_archived_departments,
    count(*) filter (where m.end_date < $2)::integer as with_former_managers,
    count(*) filter (where k.archived_at is not null)::integer as with_archived_working_patterns,
    count(*) filter (where not w.is_active)::integer as with_inactive_work_places,
    count(*) filter (where not t.is_active)::integer as with_inactive_work_types,
    count(*) filter (where p.start_date > $2)::integer as to_start,
    count(*) filter (where p.end_date is not null)::integer as leaving,
    (select count(*)::integer from org_units u join people h on h.organisation_id = $1 and h.person_id = u.head_id
      where u.organisation_id = $1 and u.archived_at is null and h.end_date < $2) as units_with_former_heads
  from (${CURRENT}) p
  left join org_units d on d.organisation_id = $1 and d.id = p.department_id
  left join people m on m.organisation_id = $1 and m.person_id = p.manager_id
  left join work_places w on w.organisation_id = $1 and w.id = p.work_place_id
  left join work_types t on t.organisation_id = $1 and t.id = p.work_type_id
  left join working_patterns k on k.organisation_id = $1 and k.id = p.working_pattern_id`;

const PROVIDERS = `
select m.provider_name,
    count(*) filter (where m.status = 'error')::integer as failing,
    count(*) filter (where m.status = 'pending')::integer as pending,
    count(*) filter (where m.resource_type = 'person')::integer as people,
    count(p.person_id)::integer as current_people
  from provider_mappings m
  left join people p on m.resource_type = 'person' and p.organisation_id = $1 and p.person_id = m.resource_id
    and p.identity_revision is not null and (p.end_date is null or p.end_date >= $2)
 where m.organisation_id = $1 and m.removed_at is null
 group by m.provider_name order by m.provider_name`;

/** Counts over the people who are employed on this day or start later. */
export async function countPeople(executor: Executor, organisationId: string, today: LocalDate): Promise<PeopleCounts> {
  const { rows } = await executor.query<PeopleCounts>({
    name: 'readiness-of-people',
    text: PEOPLE,
    values: [organisationId, today],
  });
  return rows[0]!;
}

/** Counts over the mappings of each provider, by its name. */
export async function countMappings(
  executor: Executor,
  organisationId: string,
  today: LocalDate,
): Promise<readonly ProviderCounts[]> {
  const { rows } = await executor.query<ProviderCounts>({
    name: 'readiness-of-providers',
    text: PROVIDERS,
    values: [organisationId, today],
  });
  return rows;
}
