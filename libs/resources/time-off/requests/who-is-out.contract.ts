import { BooleanField, DateField, EnumField, IdField, ListField, ObjectField } from '#http/fields.js';
import { GROWING_LIST_LENGTH } from '#http/fields/shape.js';
import { PageQuery } from '#http/pages.js';
import { DAY_PARTS } from '../records/day-count.rules.js';
import { TimeOffCategoryReference, TimeOffPersonReference } from '../records/time-off.contract.js';

export class WhoIsOutQuery extends PageQuery {
  @DateField({ description: 'First day of the window.', example: '2026-08-01' })
  readonly from!: string;
  @DateField({
    description: 'Last day of the window, inclusive; not before from.',
    example: '2026-08-31',
  })
  readonly to!: string;
  @BooleanField({ optional: true, description: 'Also time off that is requested and not decided yet.', example: true })
  readonly include_pending?: boolean;
  @IdField('orgUnit', { optional: true, description: 'People of this org unit.' })
  readonly department_id?: string;
  @BooleanField({ optional: true, description: 'With department_id: also people of the units below it.', example: true })
  readonly include_units?: boolean;
  @IdField('person', { optional: true, description: 'People who report to this person directly.', example: 'b3w8n0ez5t6y' })
  readonly manager_id?: string;
}

/** Time off of somebody that touches the window. */
export class SpanOut {
  @IdField('timeOff')
  readonly time_off_id!: string;
  @ObjectField(() => TimeOffCategoryReference)
  readonly category!: TimeOffCategoryReference;
  @DateField({ description: 'May lie before the window.', example: '2026-08-03' })
  readonly start_date!: string;
  @DateField({ description: 'Inclusive; may lie after the window.', example: '2026-08-07' })
  readonly end_date!: string;
  @EnumField(DAY_PARTS, { example: 'full' })
  readonly start_day_part!: string;
  @EnumField(DAY_PARTS, { example: 'full' })
  readonly end_day_part!: string;
  @EnumField(['pending', 'approved'], { example: 'approved' })
  readonly status_code!: string;
}

/** Somebody who is out. */
export class PersonOut {
  @ObjectField(() => TimeOffPersonReference)
  readonly person!: TimeOffPersonReference;
  @ListField(() => SpanOut, { maximumItems: GROWING_LIST_LENGTH, description: 'In the order of their first days.' })
  readonly spans!: readonly SpanOut[];
}
