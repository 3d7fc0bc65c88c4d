import { conflict, type Rejection } from '#kernel/rejection.js';
import { readState } from '#commands/execute.js';
import type { WritingServices } from '#commands/services.js';
import type { TimeOffCalendar, TimeOffRecord } from '../records/time-off.js';
import type { TimeOffCategoryRow } from '../category/time-off-category.js';
import { readTimeOffSettings, type TimeOffSettingsRow } from '../settings/time-off-settings.js';
import { ledgerAggregate } from './ledger.js';
import { PersonAccounts } from './accounts.js';
import { firstDayBelow } from './balance-limit.rules.js';
import { type BalanceSources, presentRecordedStatus, readEmploymentSources } from './read-balance-sources.js';
import { dayOf } from './dated.rules.js';

/** A calendar before and after a command about one of its records. */
export interface CalendarQuestion {
  readonly organisationId: string;
  readonly personId: string;
  /** The category that the record has after the command. */
  readonly category: TimeOffCategoryRow;
  readonly timeOffId: string;
  /** The calendar without the command. */
  readonly before: TimeOffCalendar;
  readonly calendar: TimeOffCalendar;
  /** The organisation's settings; null if they are not read yet. */
  readonly settings: TimeOffSettingsRow | null;
}

/**
 * Refuses a command that would bring the available balance below the category's limit (see
 * {@link overdraftRejection}). Must be called under the balance lock, so that no other command uses or
 * adjusts this person's balance.
 */
export async function balanceRejection(
  services: Pick<WritingServices, 'executor' | 'store'>,
  question: CalendarQuestion,
): Promise<Rejection | null> {
  const { organisationId, personId, category, timeOffId, calendar } = question;
  const [sources, settings, adjustments] = await Promise.all([
    readEmploymentSources(services.executor, organisationId, personId),
    question.settings ?? readTimeOffSettings(services.executor, organisationId),
    readState(services.store, ledgerAggregate, organisationId, personId),
  ]);
  if (sources === null) return null;
  return overdraftRejection({
    sources: { ...sources, adjustments, records: recordsOf(question.before) },
    settings,
    category,
    after: recordsOf(calendar),
    record: calendar.records.get(timeOffId)!,
  });
}

/** The effect of a new or changed record on a balance with a limit. */
interface OverdraftQuestion {
  /** The records without the command; their current states suffice. */
  readonly sources: BalanceSources;
  readonly settings: TimeOffSettingsRow;
  /** The category that the record has after the command. */
  readonly category: TimeOffCategoryRow;
  /** The records after the command. */
  readonly after: BalanceSources['records'];
  readonly record: Pick<TimeOffRecord, 'start_date' | 'end_date'>;
}

/**
 * Refuses a record that brings the available balance further below zero than the category allows, on any day
 * from the record's first one on (see {@link firstDayBelow}). Null if it does not, or if the category has no
 * limit.
 */
function overdraftRejection({ sources, settings, category, after, record }: OverdraftQuestion): Rejection | null {
  const limit = category.negative_balance_minutes;
  if (limit === null) return null;
  const accounts = new PersonAccounts(sources, settings);
  const below = firstDayBelow({
    before: () => accounts.account(category),
    after: accounts.account(category, { records: after }),
    limit,
    first: dayOf(record.start_date),
    last: dayOf(record.end_date),
  });
  return below === null ? null : limitRejection('category_id', below);
}

/** A calendar's current records, without their earlier states. */
export function recordsOf(calendar: TimeOffCalendar): BalanceSources['records'] {
  return [...calendar.records.values()].map(presentRecordedStatus);
}

/** The rejection names the day on which the balance would be too low, but not the balance. */
export function limitRejection(field: string, date: string): Rejection {
  return conflict(field, `would bring the available balance further below zero than this category allows, on ${date}`);
}
