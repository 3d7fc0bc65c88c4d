import { EARLIEST_DATE, type LocalDate } from '#kernel/dates.js';
import { versionsInUse } from '#projections/rule-versions.js';
import {
  believed,
  type Fact,
  fullTimeEquivalent,
  NO_TERMS,
  periodsOf,
  type CompleteTerms,
} from '#people/employment/timeline.js';
import { dateInZoneAt } from '#organisation/organisation/time-zones.js';
import type { TimeOffCategoryRow } from '../category/time-off-category.js';
import type { TimeOffSettingsRow } from '../settings/time-off-settings.js';
import { DEFAULT_TIME_OFF_SETTINGS } from '../settings/time-off-settings.rules.js';
import { type Account, type AccountFacts, type RecordState, openAccount, type Period } from './account.rules.js';
import type { BalanceSources, LedgerEntry, RecordedFact, RecordedStatus } from './read-balance-sources.js';
import { KNOWN_AT_ANY_TIME } from './balance.rules.js';
import { type DatedEntry, type Day, dayOf, type Version } from './dated.rules.js';

/** The settings from which an organisation's balances are calculated. */
export type BalanceSettingsRow = Pick<TimeOffSettingsRow, 'versions' | 'time_zones' | 'first_person_at'>;
/** The part of a category that balances need. */
export type BalanceCategoryRow = Pick<TimeOffCategoryRow, 'id' | 'versions'>;

/** Before every date. */
export const ALWAYS = dayOf(EARLIEST_DATE);

/** One person's accounts, built once for all categories, because most of the data is the same for each. */
export class PersonAccounts {
  private readonly common: Omit<AccountFacts, 'category' | 'records' | 'adjustments'>;
  /**
   * Caches the day of a time: computing it takes longer than everything else, and every category needs the
   * same days.
   */
  private readonly days = new Map<string, Day>();

  constructor(
    private readonly sources: BalanceSources,
    private readonly settings: BalanceSettingsRow,
  ) {
    const employment = employmentOf(sources.facts, this.dayAt);
    const { opening, later } = versionsInUse(settings.versions, DEFAULT_TIME_OFF_SETTINGS, settings.first_person_at);
    this.common = { ...employment, settings: [{ from: ALWAYS, rules: opening }, ...this.dated(later)] };
  }

  /**
   * The account in a category. Records or entries other than the ones that were read describe a hypothetical
   * state.
   */
  account(
    category: BalanceCategoryRow,
    {
      records = this.sources.records,
      adjustments = this.sources.adjustments,
    }: { readonly records?: BalanceSources['records']; readonly adjustments?: readonly LedgerEntry[] } = {},
  ): Account {
    return openAccount({
      ...this.common,
      category: this.dated(category.versions),
      records: records
        .filter(({ history }) => history.some(({ category_id: id }) => id === category.id))
        .map(({ id, history }) => history.map((instant) => this.stateOf(id, instant, category.id))),
      adjustments: adjustments
        .filter(({ category_id: id }) => id === category.id)
        .map(({ adjustment_id: id, effective_date: date, amount_minutes: minutes }) => ({
          day: dayOf(date),
          minutes,
          id,
        })),
    });
  }

  private stateOf(
    id: string,
    { recorded_at: recordedAt, status_code: status, category_id: categoryId, days }: RecordedStatus,
    requested: string,
  ): RecordState {
    const counted: DatedEntry[] = [];
    if (categoryId === requested) {
      for (const { date, minutes, counted: counts } of days)
        if (counts) counted.push({ day: dayOf(date), minutes, id });
    }
    return new LazyAccountState(status, counted, recordedAt, this.dayAt);
  }

  /**
   * Versions with their days, in order of days even if a change of time zone took the organisation back to
   * the previous day.
   */
  private dated<Rules extends { readonly recorded_at: string }>(versions: readonly Rules[]): readonly Version<Rules>[] {
    let from = ALWAYS;
    return versions.map((rules) => ({ from: (from = Math.max(from, this.dayAt(rules.recorded_at))), rules }));
  }

  /** The day of a time in the organisation's time zone at that time. */
  private readonly dayAt = (time: string): Day => {
    const known = this.days.get(time);
    if (known !== undefined) return known;
    const day = dayOf(dateInZoneAt(this.settings.time_zones, time));
    this.days.set(time, day);
    return day;
  };
}

/**
 * A state whose day is computed on demand. Only balances of past days need it, and computing it takes longer
 * than everything else.
 */
class LazyAccountState implements RecordState {
  constructor(
    readonly status: RecordState['status'],
    readonly days: RecordState['days'],
    private readonly recordedAt: string,
    private readonly dayAt: (time: string) => Day,
  ) {}

  get knownOn(): Day {
    return this.dayAt(this.recordedAt);
  }
}

function employmentOf(
  recorded: readonly RecordedFact[],
  dayAt: (time: string) => Day,
): Pick<AccountFacts, 'periods' | 'periodsKnownBy' | 'fullTimeEquivalent'> {
  const facts = recorded.map(factOf);
  const periods = datedPeriods(facts);
  const knownBy = new Map<Day, readonly Period[]>([[KNOWN_AT_ANY_TIME, periods]]);
  return {
    periods,
    periodsKnownBy: (day) => {
      const known =
        knownBy.get(day) ?? datedPeriods(facts.filter((_, index) => dayAt(recorded[index]!.recorded_at) <= day));
      knownBy.set(day, known);
      return known;
    },
    fullTimeEquivalent: fullTimeEquivalents(facts),
  };
}

function factOf(recorded: RecordedFact): Fact {
  const { fact_id: factId, action, revision, effective_from: date, terms, corrects } = recorded;
  return { factId, action, revision, date, terms, correctionReason: null, corrects };
}

/** A person without a start date counts as employed on all earlier days, as for time off. */
function datedPeriods(facts: readonly Fact[]): readonly Period[] {
  return periodsOf(facts).map(({ start, finalDay }) => ({
    first: start === null ? ALWAYS : dayOf(start),
    last: finalDay === null ? null : dayOf(finalDay),
  }));
}

/**
 * The terms that determine the length of a person's day: those in force on the day; on a day without
 * employment the last ones before it, else the first.
 */
export function termsOn(recorded: readonly RecordedFact[], day: LocalDate): CompleteTerms {
  const facts = recorded.map(factOf);
  const employed = believed(facts).filter((segment) => segment.employed);
  const terms =
    employed.findLast(({ validFrom }) => validFrom === null || validFrom <= day)?.terms ?? employed[0]?.terms;
  return terms ?? { ...NO_TERMS, ...facts[0]?.terms };
}

/** The full-time equivalents with their effective dates; full time if the minutes are unknown. */
function fullTimeEquivalents(facts: readonly Fact[]): readonly Version<number>[] {
  const employed = believed(facts).filter((segment) => segment.employed);
  if (employed.length === 0) return [{ from: ALWAYS, rules: valueOf({ ...NO_TERMS, ...facts[0]?.terms }) }];
  return employed.map(({ validFrom, terms }) => ({
    from: validFrom === null ? ALWAYS : dayOf(validFrom),
    rules: valueOf(terms),
  }));
}

function valueOf(terms: CompleteTerms): number {
  return fullTimeEquivalent(terms) ?? 1;
}
