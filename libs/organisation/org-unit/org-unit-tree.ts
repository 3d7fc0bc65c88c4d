import { prepared, type Sql, sql } from '#database/sql.js';
import { BooleanField, DateField, DateTimeField, IdField, IntegerField, ObjectField, TextField } from '#http/fields.js';
import type { Reader } from '#http/sight.js';
import type { LocalDate } from '#kernel/dates.js';
import { revisionKnownAt } from '#projections/revision-known-at.js';
import { ORG_UNIT } from './org-unit.js';

export const ORG_UNIT_EXAMPLE = 'org_unit_mQ7x2LkA.9dFs_P0z.Yb3kR8tVw1Qe';

export class HeadReference {
  @IdField('person', { example: ORG_UNIT.fields.head_id.example! })
  readonly id!: string;
  @TextField({ maximumLength: 600, description: 'Their current display name.', example: 'Ada Byron' })
  readonly display_name!: string;
}

export class OrgUnitTreeQuery {
  @DateField({
    optional: true,
    description: 'The day whose people are counted; today where not given.',
    example: '2023-07-01',
  })
  readonly as_of?: string;
  @DateTimeField({
    optional: true,
    description: 'As it was known at this moment, inclusive; now where not given.',
    example: '2024-01-01T00:00:00.000Z',
  })
  readonly known_at?: string;
}

/** A unit with its place in the tree, and the number of its people on a day. */
export class OrgUnitInTree {
  @IdField('orgUnit', { example: ORG_UNIT_EXAMPLE })
  readonly id!: string;
  @TextField({ maximumLength: 200, example: 'Engineering' })
  readonly name!: string;
  @IdField('orgUnit', {
    nullable: true,
    description: 'The unit above it; null at the top.',
    example: ORG_UNIT.fields.parent_id.example!,
  })
  readonly parent_id!: string | null;
  @ObjectField(() => HeadReference, { nullable: true, description: 'The person who leads it today.' })
  readonly head!: HeadReference | null;
  @BooleanField({ description: 'Whether it is archived today.', example: false })
  readonly is_archived!: boolean;
  @IntegerField({ minimum: 0, description: 'People of the unit itself.', example: 12 })
  readonly head_count!: number;
  @IntegerField({ minimum: 0, description: 'The same with those of all units below it.', example: 48 })
  readonly total_head_count!: number;
}

interface UnitWithHeads {
  readonly id: string;
  readonly name: string;
  readonly parent_id: string | null;
  readonly head_id: string | null;
  readonly head_name: string | null;
  readonly is_archived: boolean;
  readonly head_count: number;
}

/** A tree of units as of a day. */
export interface OrgUnitTreePage {
  readonly organisationId: string;
  readonly day: LocalDate;
  /** The moment at which it was known (ISO 8601, inclusive); null: now. */
  readonly instant: string | null;
  /** Whether active units are also left out if neither they nor units below them have people. */
  readonly isWithPeopleOnly: boolean;
}

/**
 * Returns the units of an organisation by name, with the number of people in each whom the reader finds on
 * the day. A head whom it does not find is null. An archived unit is left out if neither it nor a unit below
 * it has people.
 */
export async function readOrgUnitTree(
  executor: Reader,
  { organisationId, day, instant, isWithPeopleOnly }: OrgUnitTreePage,
): Promise<readonly OrgUnitInTree[]> {
  const { rows } = await executor.query<UnitWithHeads>(
    prepared(sql`
      with counted as (
        select b.department_id as id, count(*)::integer as people from employment_beliefs b
         where ${believedOn(organisationId, day, instant)} and b.department_id is not null group by b.department_id)
      select u.id, u.name, u.parent_id, u.head_id, h.display_name as head_name,
        u.archived_at is not null as is_archived,
             coalesce(c.people, 0) as head_count
        from org_units u
        left join counted c on c.id = u.id
        left join people h on h.organisation_id = u.organisation_id and h.person_id = u.head_id
          and h.identity_revision is not null
       where u.organisation_id = ${organisationId} order by u.name_key, u.id`),
  );
  const below = new Map<string, UnitWithHeads[]>();
  for (const row of rows) below.set(row.parent_id ?? '', [...(below.get(row.parent_id ?? '') ?? []), row]);
  const totals = new Map<string, number>();
  const totalOf = (row: UnitWithHeads): number => {
    const total = (below.get(row.id) ?? []).reduce((sum, unit) => sum + totalOf(unit), row.head_count);
    totals.set(row.id, total);
    return total;
  };
  for (const row of below.get('') ?? []) totalOf(row);
  return rows
    .map(({ id, name, parent_id, head_id, head_name, is_archived, head_count }) => ({
      id,
      name,
      parent_id,
      head: head_id === null || head_name === null ? null : { id: head_id, display_name: head_name },
      is_archived,
      head_count,
      total_head_count: totals.get(id) ?? head_count,
    }))
    .filter((unit) => unit.total_head_count > 0 || !(unit.is_archived || isWithPeopleOnly));
}

/** The number of people who were employed on a day, and the number of those who belonged to no unit. */
export interface HeadCount {
  readonly employed: number;
  readonly without_unit: number;
}

/**
 * Counts the people who were employed on a day, as known at a time (ISO 8601, inclusive; null: now). The
 * counts of units do not include people without a unit.
 */
export async function readHeadCount(
  executor: Reader,
  organisationId: string,
  day: LocalDate,
  instant: string | null,
): Promise<HeadCount> {
  const { rows } = await executor.query<HeadCount>(
    prepared(sql`
      select count(*)::integer as employed, count(*) filter (where b.department_id is null)::integer as without_unit
        from employment_beliefs b
        join people p on p.organisation_id = b.organisation_id and p.person_id = b.person_id
          and p.identity_revision is not null
       where ${believedOn(organisationId, day, instant)}`),
  );
  return rows[0]!;
}

/** SQL condition of the beliefs `b` that people were employed on a day, as known at a time (null: now). */
function believedOn(organisationId: string, day: LocalDate, instant: string | null): Sql {
  const isHeld = instant === null ? sql`upper_inf(b.known)` : sql`b.known @> ${revisionKnownAt('b', instant)}`;
  return sql`b.organisation_id = ${organisationId} and b.employed and b.valid @> ${day}::date and ${isHeld}`;
}
