import { GROWING_LIST_LENGTH } from '#http/fields/shape.js';
import { BooleanField, DateField, IdField, ListField, ObjectField } from '#http/fields.js';
import { PageQuery } from '#http/pages.js';
import { TimeOffPersonReference } from '../records/time-off.contract.js';
import { CategoryBalance } from './balance.contract.js';

export class BalancesQuery extends PageQuery {
  @DateField({ optional: true, description: 'Any day, past or up to 100 years ahead; today by default.', example: '2026-06-30' })
  readonly as_of?: string;
  @IdField('timeOffCategory', { optional: true, description: 'The balances in this category alone.' })
  readonly category_id?: string;
  @IdField('orgUnit', { optional: true, description: 'People of this org unit, today.' })
  readonly department_id?: string;
  @BooleanField({ optional: true, description: 'With department_id: also people of the units below it.', example: true })
  readonly include_units?: boolean;
  @IdField('person', { optional: true, description: 'People who report to this person directly, today.', example: 'b3w8n0ez5t6y' })
  readonly manager_id?: string;
}

/** The balances of one of many people. */
export class PersonBalances {
  @ObjectField(() => TimeOffPersonReference)
  readonly person!: TimeOffPersonReference;
  @DateField({ description: 'The requested day; balances are as of its end.', example: '2026-06-30' })
  readonly as_of!: string;
  @ListField(() => CategoryBalance, {
    maximumItems: GROWING_LIST_LENGTH,
    description: 'As those of one person, by label.',
  })
  readonly balances!: readonly CategoryBalance[];
}
