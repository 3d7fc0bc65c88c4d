import fc from 'fast-check';
import { addDays, dateIn } from '#kernel/dates.js';
import type { RuleVersion } from '#projections/rule-versions.js';
import { NO_TERMS } from '#people/employment/timeline.js';
import { dateInZoneAt, type TimeZoneVersion } from '#organisation/organisation/time-zones.js';
import { type BalanceSettingsRow, PersonAccounts } from '#time-off/balances/accounts.js';
import type { BalanceSources } from '#time-off/balances/read-balance-sources.js';
import { type Balance, balanceOn } from '#time-off/balances/balance.rules.js';
import { dayOf } from '#time-off/balances/dated.rules.js';
import type { TimeOffCategoryRow } from '#time-off/category/time-off-category.js';
import { completeCategory, rulesOfCategory } from '#time-off/category/time-off-category.rules.js';
import { DEFAULT_TIME_OFF_SETTINGS, type TimeOffSettings } from '#time-off/settings/time-off-settings.rules.js';
import { testSize } from '../support/test-size.js';

/** What an administrator may change that belongs to no day before it. */
type Change =
  | { readonly at: string; readonly type: 'settings'; readonly settings: Partial<TimeOffSettings> }
  | { readonly at: string; readonly type: 'time_zone'; readonly timeZone: string }
  | { readonly at: string; readonly type: 'allowance'; readonly minutes: number | null };

const CATEGORY = 'leave';
const BEGIN = '2024-01-01';
const HOURS = 3 * 366 * 24;
const ZONES = ['Pacific/Kiritimati', 'Asia/Tokyo', 'Europe/London', 'America/New_York', 'Pacific/Pago_Pago'];
/** Hours of the history, as it is recorded. */
const at = (hours: number): string => new Date(Date.parse(`${BEGIN}T00:00:00Z`) + hours * 3_600_000).toISOString();
const anyTime = fc.nat(HOURS).map(at);
const zone = fc.constantFrom(...ZONES);

const settings: fc.Arbitrary<Partial<TimeOffSettings>> = fc.record(
  {
    leave_year_start: fc.constantFrom('01-01', '04-06', '09-15'),
    accrual_method: fc.constantFrom('fixed_yearly', 'monthly', 'worked_time'),
    accrual_rounding_minutes: fc.constantFrom(1, 15, 450),
    carry_over_max_minutes: fc.constantFrom(0, 2_400, 525_600),
    carry_over_expires_after_days: fc.constantFrom(null, 31, 90),
    pending_counts: fc.boolean(),
    holiday_region: fc.constantFrom(null, 'GB-SCT'),
  },
  { requiredKeys: [] },
);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ at: anyTime, type: fc.constant('settings' as const), settings }),
  fc.record({ at: anyTime, type: fc.constant('time_zone' as const), timeZone: zone }),
  fc.record({ at: anyTime, type: fc.constant('allowance' as const), minutes: fc.constantFrom(null, 12_000, 15_000) }),
);
/** No two at one moment. */
const changes = fc
  .uniqueArray(change, { minLength: 1, maxLength: 6, selector: (one) => one.at })
  .map((unordered) => [...unordered].sort((one, other) => (one.at < other.at ? -1 : 1)));

const record = fc
  .record({
    first: fc.nat(1_000),
    minutes: fc.constantFrom(225, 450),
    moments: fc.array(
      fc.record({ recorded_at: anyTime, status_code: fc.constantFrom('pending', 'approved', 'cancelled') }),
      {
        minLength: 1,
        maxLength: 3,
      },
    ),
  })
  .map(({ first, minutes, moments: instants }) => {
    const days = Array.from({ length: 5 }, (_, index) => ({
      date: addDays(BEGIN, first + index),
      minutes,
      counted: true,
    }));
    return [...instants]
      .sort((one, other) => (one.recorded_at < other.recorded_at ? -1 : 1))
      .map((instant) => ({ ...instant, category_id: CATEGORY, days }));
  });

const sources: fc.Arbitrary<BalanceSources> = fc
  .record({
    since: fc.nat(900),
    minutes: fc.constantFrom(1_125, 2_250),
    records: fc.array(record, { maxLength: 6 }),
    adjusted: fc.array(fc.nat(1_000), { maxLength: 2 }),
  })
  .map(({ since, minutes, records, adjusted }) => ({
    display_name: 'Ada',
    facts: [
      {
        fact_id: 'start',
        action: 'start',
        revision: 0,
        effective_from: addDays('2023-06-01', since),
        corrects: null,
        recorded_at: at(0),
        terms: { ...NO_TERMS, contracted_weekly_minutes: minutes, full_time_weekly_minutes: 2_250 },
      },
    ],
    records: records.map((history, index) => ({ id: `time off ${index}`, history })),
    adjustments: adjusted.map((day, index) => ({
      adjustment_id: `adjustment ${index}`,
      category_id: CATEGORY,
      amount_minutes: -450,
      effective_date: addDays(BEGIN, day),
    })),
  }));

/** What balances go by after these changes. */
function rulesAfter(
  told: readonly Change[],
  firstZone: string,
  firstPersonAt: string,
): { readonly settings: BalanceSettingsRow; readonly category: Pick<TimeOffCategoryRow, 'id' | 'versions'> } {
  const versions: RuleVersion<TimeOffSettings>[] = [];
  const zones: TimeZoneVersion[] = [{ time_zone: firstZone, recorded_at: at(0) }];
  const rules = rulesOfCategory(completeCategory({ label: 'Leave', annual_allowance_minutes: 12_600 }));
  const ofCategory = [{ ...rules, recorded_at: at(0) }];
  for (const one of told) {
    const recorded_at = one.at;
    if (one.type === 'settings')
      versions.push({ ...(versions.at(-1) ?? DEFAULT_TIME_OFF_SETTINGS), ...one.settings, recorded_at });
    if (one.type === 'time_zone') zones.push({ time_zone: one.timeZone, recorded_at });
    if (one.type === 'allowance') ofCategory.push({ ...rules, annual_allowance_minutes: one.minutes, recorded_at });
  }
  return {
    settings: { versions, time_zones: zones, first_person_at: new Date(firstPersonAt) },
    category: { id: CATEGORY, versions: ofCategory },
  };
}

describe('a prior day', () => {
  it('has the balance that it had before settings, time zone or allowance were changed', () => {
    fc.assert(
      fc.property(
        changes,
        zone,
        fc.nat(HOURS / 2),
        sources,
        fc.uniqueArray(fc.nat(1_400), { minLength: 20, maxLength: 20 }),
        (told, firstZone, firstPerson, person, indexes) => {
          const firstPersonAt = at(firstPerson);
          const asOf = indexes.map((index) => addDays('2023-06-01', index));
          const read = (known: readonly Change[], date: string): Balance => {
            const { settings: by, category } = rulesAfter(known, firstZone, firstPersonAt);
            return balanceOn(new PersonAccounts(person, by).account(category), dayOf(date));
          };
          told.forEach((one, index) => {
            // Before there was anybody, no balance could be asked for.
            if (one.at <= firstPersonAt) return;
            const [before, after] = [told.slice(0, index), told.slice(0, index + 1)];
            const zonesOf = (known: readonly Change[]): readonly TimeZoneVersion[] =>
              rulesAfter(known, firstZone, firstPersonAt).settings.time_zones;
            const today = [
              dateInZoneAt(zonesOf(before), one.at),
              dateIn(zonesOf(after).at(-1)!.time_zone, new Date(one.at)),
            ].sort()[0]!;
            const prior = asOf.filter((date) => date < today);
            expect(prior.map((date) => read(after, date))).toEqual(prior.map((date) => read(before, date)));
          });
        },
      ),
      { numRuns: testSize('PAST_DAYS_OF_BALANCES', { usual: 120, long: 2_000 }) },
    );
  });
});
