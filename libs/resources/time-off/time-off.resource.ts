import { TIME_OFF_SCHEMA } from './records/time-off.schema.js';
import { defineResource } from '../resource.js';
import { PublicHolidayController } from './public-holiday/public-holiday.controller.js';
import { ChangePublicHolidayHandler } from './public-holiday/public-holiday.handlers.js';
import { holidayCalendarAggregate } from './settings/holiday-calendar.decider.js';
import { HOLIDAY_CALENDARS_MIGRATION, holidayCalendarProjection } from './settings/holiday-calendar.projection.js';
import { timeOffAggregate } from './records/time-off.decider.js';
import { employmentLosesDays } from '../people/employment/lost-days-policy.js';
import { timeOffProjection } from './records/time-off.projection.js';
import { DecisionController } from './requests/decision.api.js';
import { DecideTimeOffHandler } from './requests/decision.handlers.js';
import { endTimeOff } from './requests/ending.js';
import { EndTimeOffOfLeaversHandler } from './requests/ending.handlers.js';
import { TimeOffController } from './requests/time-off.controller.js';
import { TIME_OFF_COMMAND_HANDLERS } from './requests/time-off.handlers.js';

/** Time off: requests and their outcomes. */
export const timeOffResource = defineResource({
  area: 'time-off',
  aggregates: [timeOffAggregate],
  projections: [timeOffProjection],
  schema: TIME_OFF_SCHEMA,
  policies: [employmentLosesDays.policy(endTimeOff)],
  controllers: [TimeOffController, DecisionController],
  handlers: [...TIME_OFF_COMMAND_HANDLERS, DecideTimeOffHandler, EndTimeOffOfLeaversHandler],
});

/** Public holidays, from the calendar of the organisation's region and from what it says of days itself. */
export const publicHolidayResource = defineResource({
  area: 'time-off',
  aggregates: [holidayCalendarAggregate],
  projections: [holidayCalendarProjection],
  migrations: [HOLIDAY_CALENDARS_MIGRATION],
  controllers: [PublicHolidayController],
  handlers: [ChangePublicHolidayHandler],
});
