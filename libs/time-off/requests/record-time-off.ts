import type { CommandContext } from '#commands/command-context.js';
import { type CommandResult, handleCommand } from '#commands/handle-command.js';
import { type Decision, reject } from '#kernel/aggregate.js';
import type { ProjectionContext } from '#projections/projection.js';
import type { WritingServices } from '#commands/services.js';
import type { UnitContext } from '#commands/unit-of-work.js';
import { type HolidayCalendar, holidaysBetween } from '../settings/holiday-calendar.rules.js';
import { balanceRejection } from '../balances/balance-rejection.js';
import type { TimeOffCategoryRow } from '../category/time-off-category.js';
import { readTimeOffSettings, type TimeOffSettingsRow } from '../settings/time-off-settings.js';
import { balanceLock, hasLimit } from '../records/balance-lock.js';
import { countDays, standardDay } from '../records/day-count.rules.js';
import type { EmploymentDays } from './employment-days.js';
import {
  type Entry,
  evolveCalendar,
  timeOffAggregate,
  type TimeOffCalendar,
  type TimeOffEvent,
} from '../records/time-off.js';
import { asRequested, type Dates } from '../records/time-off.rules.js';

/** The person whose calendar a command changes. */
export interface Subject {
  readonly personId: string;
  /**
   * The record that uses up its category's limit, with the category that it has after the command; null if
   * there is none.
   */
  readonly usesUp: { readonly timeOffId: string; readonly category: TimeOffCategoryRow } | null;
  /** The organisation's settings, if they were already read. */
  readonly settings?: TimeOffSettingsRow | null;
  /** The revision up to which the calendar's rows are known to be written. */
  readonly seen?: number | null;
}

type Decide = (calendar: TimeOffCalendar) => Promise<Decision<TimeOffEvent>> | Decision<TimeOffEvent>;

/**
 * Stages the decision about a calendar. Writes to a category with a limit lock the balance, because it
 * depends on other streams too; under the lock all of them are read from the store.
 */
export async function recordTimeOff(
  services: WritingServices,
  context: UnitContext,
  subject: Subject,
  decide: Decide,
): Promise<CommandResult<TimeOffCalendar>> {
  const { organisationId } = context;
  const { personId, usesUp } = subject;
  if (usesUp !== null && hasLimit(usesUp.category))
    await context.unit.hold({ exclusive: [balanceLock(organisationId, personId)] });
  return handleCommand(services.store, context, {
    ...timeOffAggregate,
    stream: timeOffAggregate.streamOf(organisationId, personId),
    decide: async (calendar) => withinBalance(services, context, subject, calendar, await decide(calendar)),
    onConflict: 'decide_again',
    projection: projectionContext(context, subject.seen),
  });
}

/** The rows of a calendar depend neither on the day nor on a key. */
function projectionContext({ today }: CommandContext, seen: number | null = null): ProjectionContext {
  return { today: () => today, personKey: () => null, seen: () => seen };
}

async function withinBalance(
  services: WritingServices,
  { organisationId }: CommandContext,
  { personId, usesUp, settings = null }: Subject,
  before: TimeOffCalendar,
  decision: Decision<TimeOffEvent>,
): Promise<Decision<TimeOffEvent>> {
  if (usesUp === null || !hasLimit(usesUp.category) || 'rejection' in decision || decision.events.length === 0)
    return decision;
  const calendar = decision.events.reduce(evolveCalendar, before);
  const rejection = await balanceRejection(services, {
    organisationId,
    personId,
    ...usesUp,
    before,
    calendar,
    settings,
  });
  return rejection === null ? decision : reject(rejection);
}

/** The data for counting days, besides public holidays. */
interface DayCountBasis {
  readonly category: TimeOffCategoryRow;
  readonly employment: EmploymentDays;
}

/** The dates with the minutes that they use up, by the current patterns, holidays and category. */
export async function countEntry(
  services: WritingServices,
  organisationId: string,
  dates: Dates,
  known: DayCountBasis,
): Promise<Entry> {
  return entryOf(dates, known, await readTimeOffSettings(services.executor, organisationId));
}

/** The same with settings that were already read. */
export function entryOf(dates: Dates, { category, employment }: DayCountBasis, calendar: HolidayCalendar): Entry {
  const holidays = holidaysBetween(calendar, dates.start_date, dates.end_date);
  const { days, totalMinutes, totalDays } = countDays(asRequested(dates), {
    patternOn: (day) => employment.patternOn(day),
    employedOn: (day) => employment.employedOn(day),
    holidaysOn: (day) => holidays.filter(({ date }) => date === day),
    countsPublicHolidays: category.counts_public_holidays,
    standardDay: standardDay(null, null),
  });
  const { start_date, end_date, start_day_part, end_day_part } = dates;
  const { id: category_id, is_standard, requires_approval } = category;
  return {
    category_id,
    is_standard,
    requires_approval,
    start_date,
    end_date,
    start_day_part,
    end_day_part,
    days,
    total_minutes: totalMinutes,
    total_days: totalDays,
  };
}
