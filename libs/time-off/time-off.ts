import { TIME_OFF_SCHEMA, timeOffProjection } from './records/time-off.table.js';
import { defineResource } from '#commands/resource.js';
import { ChangePublicHolidayHandler, PublicHolidayController } from './public-holiday/public-holiday.api.js';
import {
  HOLIDAY_CALENDARS_MIGRATION,
  holidayCalendarAggregate,
  holidayCalendarProjection,
} from './settings/holiday-calendar.js';
import { timeOffAggregate } from './records/time-off.js';
import { employmentLosesDays } from '#people/employment/lost-days-policy.js';
import { DecideTimeOffHandler, DecisionController } from './requests/decision.api.js';
import { endTimeOff, EndTimeOffOfLeaversHandler } from './requests/end-time-off.js';
import { TimeOffController } from './requests/time-off.api.js';
import { TIME_OFF_COMMAND_HANDLERS } from './requests/request-time-off.js';

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

/** Public holidays, from the calendar of the organisation's region and from its own changes of days. */
export const publicHolidayResource = defineResource({
  area: 'time-off',
  aggregates: [holidayCalendarAggregate],
  projections: [holidayCalendarProjection],
  migrations: [HOLIDAY_CALENDARS_MIGRATION],
  controllers: [PublicHolidayController],
  handlers: [ChangePublicHolidayHandler],
});
