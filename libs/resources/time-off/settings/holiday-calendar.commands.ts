import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import type { LocalDate } from '#kernel/dates.js';
import { decideHolidayCalendar, holidayCalendarAggregate, type HolidayPart } from './holiday-calendar.decider.js';
import { HOLIDAY_CALENDAR_ENTITY } from './holiday-calendar.projection.js';
import { type HolidayCalendar, holidaysBetween } from './holiday-calendar.rules.js';
import { readTimeOffSettings } from './time-off-settings.queries.js';

/** What an organisation says of a day: that it is free, a working day, or what the library says. */
export type HolidayChange =
  | { readonly type: 'add'; readonly date: LocalDate; readonly name: string; readonly dayPart: HolidayPart }
  | { readonly type: 'remove'; readonly date: LocalDate }
  | { readonly type: 'restore'; readonly date: LocalDate };

/**
 * Records what the context's organisation says of a day, and returns its calendar after it. Records of time off that were counted already keep
 * their counts until they are changed. Throws `RejectedError`: a name or date that is not valid, a removed day that is no holiday.
 */
export function changeHoliday(services: CommandServices, context: CommandContext, change: HolidayChange): Promise<HolidayCalendar> {
  const { date } = change;
  return commit(services, context, async (within) => {
    const settings = await readTimeOffSettings(services.executor, context.organisationId);
    const { state } = await execute(services, within, holidayCalendarAggregate, HOLIDAY_CALENDAR_ENTITY, {
      decide: (current) => {
        if (change.type !== 'remove') return decideHolidayCalendar(change, current);
        const isHoliday = holidaysBetween({ ...settings, own_holidays: [] }, date, date).length > 0;
        return decideHolidayCalendar({ type: 'remove', date, isHoliday }, current);
      },
    });
    return () => ({ ...settings, own_holidays: [...state.days.values()] });
  });
}
