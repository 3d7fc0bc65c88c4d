import { addDays, dateIn, type LocalDate } from '#kernel/dates.js';
import { notFound, RejectedError } from '#kernel/rejection.js';
import { versionOn } from '#projections/rule-versions.js';
import { dateInZoneAt } from '#organisation/organisation/time-zones.js';
import type { Executor } from '#projections/projection.js';
import { rulesOfCategory, TIME_OFF_CATEGORY, type TimeOffCategory } from '../category/time-off-category.rules.js';
import type { TimeOffCategoryRow } from '../category/time-off-category.js';
import { checkTimeOffSettings } from '../settings/time-off-settings.api.js';
import type { TimeOffSettingsRow } from '../settings/time-off-settings.js';
import { TIME_OFF_SETTINGS, type TimeOffSettings } from '../settings/time-off-settings.rules.js';
import { PersonAccounts, termsOn } from './accounts.js';
import { type Balance, balancesOn } from './balance.rules.js';
import { dateOf, dayOf, nextAnniversary } from './dated.rules.js';
import { dayLengthOf } from './day-length.rules.js';
import { readBalanceOrganisation } from './read-balances.js';
import { readBalanceSources } from './read-balance-sources.js';

/** The rules of a form that is not sent yet. */
export interface ProposedRules {
  readonly settings: Partial<TimeOffSettings>;
  /** The changes of one category; null for none. */
  readonly category: { readonly id: string; readonly changes: Partial<TimeOffCategory> } | null;
}

/** The balances of one category at the end of some days, in minutes. */
export interface PreviewedCategory {
  readonly category: { readonly id: string; readonly label: string };
  readonly unit: string;
  readonly days: readonly { readonly date: LocalDate; readonly before: Balance; readonly after: Balance }[];
}

/** The balances of a person by the rules in force, and by proposed ones. */
export interface BalancePreview {
  readonly person_id: string;
  /** The length of the person's day in minutes; null if it is not known. */
  readonly minutes_per_day: number | null;
  readonly categories: readonly PreviewedCategory[];
}

/**
 * Calculates the balances of a person at the end of today, of each month, and of the next leave year, by the
 * rules in force and as if the proposed ones were recorded now: changed settings apply from the first day of
 * the next leave year on. Records nothing. Null if the organisation has no such person. Throws
 * {@link RejectedError} if the rules are not valid, or there is no such category.
 */
export async function previewBalances(
  executor: Executor,
  of: { readonly organisationId: string; readonly personId: string; readonly now: Date },
  proposed: ProposedRules,
): Promise<BalancePreview | null> {
  checkTimeOffSettings(proposed.settings);
  const [sources, { settings, categories, patterns }] = await Promise.all([
    readBalanceSources(executor, of.organisationId, of.personId),
    readBalanceOrganisation(executor, of.organisationId),
  ]);
  if (sources === null) return null;
  const after = withCategory(categories, proposed.category, of.now);
  const today = dateIn(settings.time_zone, of.now);
  const terms = termsOn(sources.facts, today);
  const { working_pattern_id: patternId } = terms;
  const length = dayLengthOf(patternId === null ? null : (patterns.get(patternId) ?? null), terms);
  const [held, wanted] = [settings, withSettings(settings, proposed.settings, of.now)].map(
    (rules) => new PersonAccounts(sources, rules),
  ) as [PersonAccounts, PersonAccounts];
  const dates = datesFrom(today, settings.leave_year_start);
  const days = dates.map(dayOf);
  const deducts = ({ versions }: TimeOffCategoryRow): boolean =>
    versionOn(versions, dates.at(-1)!, (time) => dateInZoneAt(settings.time_zones, time))!.deducts_balance;
  return {
    person_id: of.personId,
    minutes_per_day: length === null ? null : length.minutes / length.days,
    categories: categories.flatMap((category, index) => {
      const changed = after[index]!;
      if (!category.is_active || (!deducts(category) && !deducts(changed))) return [];
      const [now, then] = [balancesOn(held.account(category), days), balancesOn(wanted.account(changed), days)];
      return {
        category: { id: category.id, label: changed.label },
        unit: changed.unit,
        days: dates.map((date, place) => ({ date, before: now[place]!, after: then[place]! })),
      };
    }),
  };
}

function withSettings(
  row: TimeOffSettingsRow,
  named: Partial<TimeOffSettings>,
  now: Date,
): Pick<TimeOffSettingsRow, 'versions' | 'time_zones' | 'first_person_at'> {
  const current = Object.fromEntries(
    Object.keys(TIME_OFF_SETTINGS.fields).map((field) => [field, row[field as keyof TimeOffSettings]]),
  ) as unknown as TimeOffSettings;
  const changed = { ...current, ...TIME_OFF_SETTINGS.normalise(named), recorded_at: now.toISOString() };
  return { ...row, versions: [...row.versions, changed] };
}

function withCategory(
  rows: readonly TimeOffCategoryRow[],
  proposed: ProposedRules['category'],
  now: Date,
): readonly TimeOffCategoryRow[] {
  if (proposed === null) return rows;
  if (!rows.some(({ id }) => id === proposed.id))
    throw new RejectedError(notFound('category.id', 'there is no such time-off category'));
  const changes = TIME_OFF_CATEGORY.normalise(proposed.changes);
  const rejection = TIME_OFF_CATEGORY.rejection(changes);
  if (rejection !== null) throw new RejectedError(rejection);
  return rows.map((row) => {
    if (row.id !== proposed.id) return row;
    const changed = { ...row, ...changes };
    const fields = Object.fromEntries(
      Object.keys(TIME_OFF_CATEGORY.fields).map((field) => [field, changed[field as keyof TimeOffCategory]]),
    ) as unknown as TimeOffCategory;
    return {
      ...changed,
      versions: [...row.versions, { ...rulesOfCategory(fields), recorded_at: now.toISOString() }],
    };
  });
}

/** Today, the last day of each month from today's on, and the last day of the next leave year. */
function datesFrom(today: LocalDate, leaveYearStart: string): readonly LocalDate[] {
  const next = nextAnniversary(dayOf(today), leaveYearStart);
  const last = dateOf(nextAnniversary(next, leaveYearStart) - 1);
  const dates = [today];
  for (let first = firstOfNextMonth(today); first <= last; first = firstOfNextMonth(first)) {
    const end = addDays(first, -1);
    if (end > today) dates.push(end);
  }
  if (dates.at(-1)! < last) dates.push(last);
  return dates;
}

function firstOfNextMonth(date: LocalDate): LocalDate {
  const [year, month] = [Number(date.slice(0, 4)), Number(date.slice(5, 7))];
  return dateOf(Date.UTC(year, month, 1) / 86_400_000);
}
