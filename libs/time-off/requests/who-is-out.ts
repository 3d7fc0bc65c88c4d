import { allOf, type Sql, sql } from '#database/sql.js';
import { invalidField } from '#http/errors.js';
import { BooleanField, DateField, EnumField, IdField, ListField, ObjectField } from '#http/fields.js';
import { GROWING_LIST_LENGTH } from '#http/fields/shape.js';
import { isText, type PagedList, PageQuery } from '#http/pages.js';
import { conditionsOfPlace } from '#organisation/org-unit/org-unit.js';
import type { Executor } from '#projections/projection.js';
import { DAY_PARTS } from '../records/day-count.rules.js';
import { TimeOffCategoryReference, TimeOffPersonReference } from '../records/time-off-shapes.js';

/** The sort values of a person who is out. */
interface Place {
  readonly name: string;
  readonly id: string;
}

interface Row extends Place {
  readonly display_name: string;
  readonly spans: PersonOut['spans'];
}

/** People who are out, by name. */
export const WHO_IS_OUT: PagedList<Place, Row> = {
  route: 'listWhoIsOut',
  place: { name: isText, id: isText },
  placeOf: ({ name, id }) => ({ name, id }),
};

/** Refuses a window that ends before it begins. Throws `HttpError` (400). */
export function checkWhoIsOut({ from, to }: WhoIsOutQuery): void {
  if (to < from) throw invalidField('to', 'must not be before from');
}

/**
 * The first `count` people after a place whose time off touches the window; departments and managers are
 * those of today.
 */
export async function listWhoIsOut(
  executor: Executor,
  organisationId: string,
  query: WhoIsOutQuery,
  after: Place | null,
  count: number,
): Promise<readonly Row[]> {
  const { rows } = await executor.query<Row>(statementOf(organisationId, query, after, count));
  return rows;
}

/** A person who is out, in the form of the API. */
export function presentPersonOut({ id, display_name, spans }: Row): PersonOut {
  return { person: { id, display_name }, spans };
}

function statementOf(organisationId: string, query: WhoIsOutQuery, after: Place | null, count: number): Sql {
  const conditions = [sql`p.identity_revision is not null`, ...conditionsOfPlace(organisationId, 'p', query)];
  if (after !== null) conditions.push(sql`(p.name_key, p.person_id) > (${after.name}, ${after.id})`);
  const statuses = query.include_pending === true ? sql`('approved', 'pending')` : sql`('approved')`;
  return sql`with out as (
      select t.person_id, json_agg(json_build_object('time_off_id', t.id, 'category', json_build_object('id',
        t.category_id, 'label', coalesce(c.label, t.category_id)),
          'start_date', t.start_date, 'end_date', t.end_date, 'start_day_part', t.start_day_part, 'end_day_part',
          t.end_day_part,
          'status_code', t.status_code) order by t.start_date, t.id) as spans
        from time_off t left join time_off_categories c on c.organisation_id = t.organisation_id
          and c.id = t.category_id
       where t.organisation_id = ${organisationId} and t.status_code in ${statuses}
         and daterange(t.start_date, t.end_date, '[]') && daterange(${query.from}::date, ${query.to}::date, '[]')
       group by t.person_id)
    select p.name_key as name, p.person_id as id, p.display_name, o.spans
      from out o join people p on p.organisation_id = ${organisationId} and p.person_id = o.person_id
     where ${allOf(conditions)} order by p.name_key, p.person_id limit ${count}`;
}

export class WhoIsOutQuery extends PageQuery {
  @DateField({ description: 'First day of the window.', example: '2026-08-01' })
  readonly from!: string;
  @DateField({
    description: 'Last day of the window, inclusive; not before from.',
    example: '2026-08-31',
  })
  readonly to!: string;
  @BooleanField({ optional: true, description: 'Also pending requests.', example: true })
  readonly include_pending?: boolean;
  @IdField('orgUnit', { optional: true, description: 'People of this org unit.' })
  readonly department_id?: string;
  @BooleanField({
    optional: true,
    description: 'With department_id: also people of the units below it.',
    example: true,
  })
  readonly include_units?: boolean;
  @IdField('person', {
    optional: true,
    description: 'People who report to this person directly.',
    example: 'b3w8n0ez5t6y',
  })
  readonly manager_id?: string;
}

/** Time off of a person that touches the window. */
class SpanOut {
  @IdField('timeOff')
  readonly time_off_id!: string;
  @ObjectField(() => TimeOffCategoryReference)
  readonly category!: TimeOffCategoryReference;
  @DateField({ description: 'May be before the window.', example: '2026-08-03' })
  readonly start_date!: string;
  @DateField({ description: 'Inclusive; may be after the window.', example: '2026-08-07' })
  readonly end_date!: string;
  @EnumField(DAY_PARTS, { example: 'full' })
  readonly start_day_part!: string;
  @EnumField(DAY_PARTS, { example: 'full' })
  readonly end_day_part!: string;
  @EnumField(['pending', 'approved'], { example: 'approved' })
  readonly status_code!: string;
}

/** A person who is out. */
export class PersonOut {
  @ObjectField(() => TimeOffPersonReference)
  readonly person!: TimeOffPersonReference;
  @ListField(() => SpanOut, { maximumItems: GROWING_LIST_LENGTH, description: 'In the order of their first days.' })
  readonly spans!: readonly SpanOut[];
}
