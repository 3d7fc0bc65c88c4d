import { dateIn } from '#kernel/dates.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import { ChangePublicHoliday, presentPublicHoliday } from '#time-off/public-holiday/public-holiday.api.js';
import type { HolidayPart } from '#time-off/settings/holiday-calendar.js';
import { holidayCalendarBetween, type OrganisationHoliday } from '#time-off/settings/holiday-calendar.rules.js';
import { FIRST_HOLIDAY_YEAR, LAST_HOLIDAY_YEAR } from '#time-off/settings/public-holidays.js';
import type { HolidayChange } from '#time-off/settings/time-off-settings.api.js';
import { readTimeOffSettings } from '#time-off/settings/time-off-settings.js';
import { command } from '../command.js';
import { commandServices } from '../command-context.js';
import type { Context, Outcome } from '../declaration.js';
import { argument, choice, flag, numberWithin, ORGANISATION, required, text, withDefault } from '../options.js';
import { listOf } from '../text-table.js';

const DATE = argument('the day as YYYY-MM-DD');
const PARTS = ['full', 'morning', 'afternoon'] as const satisfies readonly HolidayPart[];

/** `workforce public-holidays …`. */
export const commands = {
  list: command({
    description: 'list the holidays of a year',
    options: {
      organisation: ORGANISATION,
      year: numberWithin('<year>', 'the year; this one by default', [FIRST_HOLIDAY_YEAR, LAST_HOLIDAY_YEAR]),
      all: flag('also days that are working days: other kinds, and removed days'),
    },
    run: async ({ organisation, year: named, all }, context) => {
      const settings = await readTimeOffSettings(context.pool, organisation.id);
      const year = named ?? dateIn(settings.time_zone, new Date()).slice(0, 4);
      const found = holidayCalendarBetween(settings, `${year}-01-01`, `${year}-12-31`);
      const listed = found.filter(({ isCounted }) => isCounted || all);
      return outcomeOf(listed, organisation, context);
    },
  }),
  add: command({
    description: 'make a day, or a half of it, free',
    arguments: { date: DATE },
    options: {
      organisation: ORGANISATION,
      name: required(text('<name>', 'its name')),
      day_part: withDefault(choice('<part>', 'the part that is free', PARTS), 'full'),
    },
    run: ({ organisation, date, name, day_part: dayPart }, context) =>
      change(organisation, context, { type: 'add', date, name, dayPart }),
  }),
  remove: command({
    description: 'make a day a working day',
    arguments: { date: DATE },
    options: { organisation: ORGANISATION },
    run: ({ organisation, date }, context) => change(organisation, context, { type: 'remove', date }),
  }),
  restore: command({
    description: 'undo the change of a day: the calendar of the region applies again',
    arguments: { date: DATE },
    options: { organisation: ORGANISATION },
    run: ({ organisation, date }, context) => change(organisation, context, { type: 'restore', date }),
  }),
};

/** Shows the calendar of the day after the change. */
async function change(organisation: OrganisationRow, within: Context, requested: HolidayChange): Promise<Outcome> {
  const calendar = await within.send((context) => new ChangePublicHoliday(context, requested));
  const found = holidayCalendarBetween(calendar, requested.date, requested.date);
  const outcome = outcomeOf(found, organisation, within);
  return found.length === 0 ? { ...outcome, text: `${requested.date} is a working day.` } : outcome;
}

function outcomeOf(found: readonly OrganisationHoliday[], { id }: OrganisationRow, { installation }: Context): Outcome {
  const { mint } = commandServices(installation);
  const holidays = found.map((holiday) => presentPublicHoliday(mint, id, holiday));
  return listOf('holidays', holidays, {
    DATE: 'date',
    PART: 'day_part',
    NAME: 'name',
    KIND: 'kind',
    'COUNTS AS': ({ is_counted: isCounted }) => (isCounted ? 'free' : 'working day'),
  });
}
