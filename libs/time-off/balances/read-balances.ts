import { dateIn, type LocalDate } from '#kernel/dates.js';
import type { Executor } from '#projections/projection.js';
import { type TimeOffCategoryRow, timeOffCategoryTable } from '../category/time-off-category.js';
import { mapYielding } from '#http/map-yielding.js';
import { versionOn } from '#projections/rule-versions.js';
import { dateInZoneAt } from '#organisation/organisation/time-zones.js';
import { readTimeOffSettings, type TimeOffSettingsRow } from '../settings/time-off-settings.js';
import { type PatternDay, workingPatternTable } from '#organisation/working-pattern/working-pattern.js';
import { PersonAccounts, termsOn } from './accounts.js';
import { AMOUNTS_UNIT, type BalanceResponse, type CategoryBalance } from './balance-shapes.js';
import { type BalanceSources, readBalanceSources } from './read-balance-sources.js';
import { KNOWN_AT_ANY_TIME, balanceOn, type Statement, statementOn } from './balance.rules.js';
import { type Day, dayOf } from './dated.rules.js';
import { type DayLength, dayLengthOf, inDays } from './day-length.rules.js';

/** The person and the day of balances; null for `asOf` means today. */
export interface BalanceQuestion {
  readonly organisationId: string;
  readonly personId: string;
  readonly asOf: LocalDate | null;
  readonly now: Date;
}

/** The maximum number of years ahead for a balance: each leave year is calculated from the previous one. */
const FURTHEST_YEARS = 100;

/** Refuses a day that is too far ahead. */
export function asOfProblem(asOf: LocalDate | null, now: Date): string | null {
  const furthest = now.getUTCFullYear() + FURTHEST_YEARS;
  return asOf === null || Number(asOf.slice(0, 4)) <= furthest ? null : `must not be after ${furthest}-12-31`;
}

/**
 * A person's balances (docs/reference/balances.md); null if the organisation has no such person. `people`
 * reads what is about the person.
 */
export async function readBalances(
  executor: Executor,
  { organisationId, personId, asOf, now }: BalanceQuestion,
  people = executor,
): Promise<BalanceResponse | null> {
  const [sources, organisation] = await Promise.all([
    readBalanceSources(people, organisationId, personId),
    readBalanceOrganisation(executor, organisationId),
  ]);
  if (sources === null) return null;
  const rules = new BalanceRules(organisation, asOf, now);
  return {
    person_id: personId,
    as_of: rules.date,
    balances: await mapYielding(rules.categories, rules.balanceOf(sources)),
  };
}

/** The organisation-wide data for calculating the balances of all people. */
export interface BalanceOrganisation {
  readonly settings: TimeOffSettingsRow;
  readonly categories: readonly TimeOffCategoryRow[];
  /** The days of each working pattern, by its id. */
  readonly patterns: ReadonlyMap<string, readonly PatternDay[]>;
}

/** Reads the organisation-wide data for calculating the balances of all people. */
export async function readBalanceOrganisation(
  executor: Executor,
  organisationId: string,
): Promise<BalanceOrganisation> {
  const [settings, categories, patterns] = await Promise.all([
    readTimeOffSettings(executor, organisationId),
    timeOffCategoryTable.list(executor, organisationId),
    workingPatternTable.list(executor, organisationId),
  ]);
  return { settings, categories, patterns: new Map(patterns.map(({ id, days }) => [id, days])) };
}

/** The rules of an organisation for balances of a day, which are the same for all of its people. */
export class BalanceRules {
  /** The day of the balances, which are as of its end. */
  readonly date: LocalDate;
  /** The categories that keep a balance on that day, by label. */
  readonly categories: readonly TimeOffCategoryRow[];
  private readonly settings: TimeOffSettingsRow;
  private readonly patterns: BalanceOrganisation['patterns'];
  private readonly knownBy: Day;
  private readonly dateOf: (time: string) => LocalDate;

  /** @param asOf - null for today */
  constructor({ settings, categories, patterns }: BalanceOrganisation, asOf: LocalDate | null, now: Date) {
    this.settings = settings;
    this.patterns = patterns;
    const today = dateIn(settings.time_zone, now);
    this.date = asOf ?? today;
    this.dateOf = (time) => dateInZoneAt(settings.time_zones, time);
    // For today and later days, everything recorded counts as scheduled.
    this.knownBy = this.date < today ? dayOf(this.date) : KNOWN_AT_ANY_TIME;
    this.categories = categories.filter((category) => keepsBalanceOn(category, this.date, this.dateOf));
  }

  /** The length of a person's working day; null if it is not known. */
  dayLengthOf(sources: BalanceSources): DayLength | null {
    const terms = termsOn(sources.facts, this.date);
    const { working_pattern_id: patternId } = terms;
    return dayLengthOf(patternId === null ? null : (this.patterns.get(patternId) ?? null), terms);
  }

  /** The unit in which people count a category. */
  unitOf(category: TimeOffCategoryRow): string {
    return versionOn(category.versions, this.date, this.dateOf)!.unit;
  }

  /** Calculates the balances of a person, a category at a time. */
  balanceOf(sources: BalanceSources): (category: TimeOffCategoryRow) => CategoryBalance {
    const accounts = new PersonAccounts(sources, this.settings);
    const length = this.dayLengthOf(sources);
    return (category) => {
      const { id, label } = category;
      const balance = balanceOn(accounts.account(category), dayOf(this.date), this.knownBy);
      const days = length === null ? null : inDays(balance, length);
      return { category: { id, label }, unit: this.unitOf(category), amounts_unit: AMOUNTS_UNIT, ...balance, days };
    };
  }

  /** The same balances with the lines of their amounts; null before the first employment. */
  statementOf(sources: BalanceSources): (category: TimeOffCategoryRow) => Statement | null {
    const accounts = new PersonAccounts(sources, this.settings);
    return (category) => statementOn(accounts.account(category), dayOf(this.date), this.knownBy);
  }
}

/**
 * A category is listed for the days on which it deducts, until the day on which it was archived, which is its
 * last event.
 */
function keepsBalanceOn(category: TimeOffCategoryRow, date: LocalDate, dateOf: (time: string) => LocalDate): boolean {
  const isArchived = !category.is_active && dateOf(category.updated_at.toISOString()) <= date;
  return !isArchived && versionOn(category.versions, date, dateOf)!.deducts_balance;
}
