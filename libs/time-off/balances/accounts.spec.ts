import { NO_TERMS } from '#people/employment/timeline.js';
import { completeCategory, rulesOfCategory } from '../category/time-off-category.rules.js';
import { DEFAULT_TIME_OFF_SETTINGS } from '../settings/time-off-settings.rules.js';
import { type BalanceSettingsRow, PersonAccounts } from './accounts.js';
import { balanceOn } from './balance.rules.js';
import { dayOf } from './dated.rules.js';

const RULES = rulesOfCategory(completeCategory({ label: 'Leave', annual_allowance_minutes: 365 * 10 }));
const START = {
  fact_id: 'start',
  action: 'start',
  revision: 0,
  effective_from: '2026-01-01',
  terms: NO_TERMS,
  corrects: null,
  recorded_at: '2026-01-01T00:00:00.000Z',
} as const;
const SETTINGS: BalanceSettingsRow = {
  versions: [],
  time_zones: [{ time_zone: 'UTC', recorded_at: '2025-01-01T00:00:00.000Z' }],
  first_person_at: new Date('2026-01-01T00:00:00.000Z'),
};

function accruedOn(
  date: string,
  settings: BalanceSettingsRow,
  allowances: readonly { readonly minutes: number; readonly recorded_at: string }[],
): number {
  const accounts = new PersonAccounts({ display_name: 'Ada', facts: [START], records: [], adjustments: [] }, settings);
  const versions = allowances.map(({ minutes, recorded_at }) => ({
    ...RULES,
    annual_allowance_minutes: minutes,
    recorded_at,
  }));
  return balanceOn(accounts.account({ id: 'leave', versions }), dayOf(date)).accrued;
}

describe('the rules of a person’s account', () => {
  const worked = { ...DEFAULT_TIME_OFF_SETTINGS, accrual_method: 'worked_time' } as const;
  const tenADay = { minutes: 3_650, recorded_at: '2025-01-01T00:00:00.000Z' };

  it('are the default settings on the days before the first change', () => {
    const settings = { ...SETTINGS, versions: [{ ...worked, recorded_at: '2026-03-02T10:00:00.000Z' }] };
    expect(['2026-03-01', '2026-12-31', '2027-01-01'].map((date) => accruedOn(date, settings, [tenADay]))).toEqual([
      3_650, 3_650, 10,
    ]);
  });

  it('are the settings that were made before the first person was recorded, on all days', () => {
    const settings = { ...SETTINGS, versions: [{ ...worked, recorded_at: '2025-12-31T10:00:00.000Z' }] };
    expect(accruedOn('2026-03-01', settings, [tenADay])).toBe(600);
  });

  it('counts no day twice where the organisation moved to a zone in which it is the day before', () => {
    const settings: BalanceSettingsRow = {
      ...SETTINGS,
      versions: [{ ...worked, recorded_at: '2025-12-31T10:00:00.000Z' }],
      time_zones: [
        { time_zone: 'Pacific/Kiritimati', recorded_at: '2025-01-01T00:00:00.000Z' },
        { time_zone: 'Pacific/Pago_Pago', recorded_at: '2026-01-10T12:00:00.000Z' },
      ],
    };
    // It was 11 January at 11:00, and is 10 January at 13:00.
    const allowances = [
      tenADay,
      { minutes: 7_300, recorded_at: '2026-01-10T11:00:00.000Z' },
      { minutes: 3_650, recorded_at: '2026-01-10T13:00:00.000Z' },
    ];
    expect(accruedOn('2026-01-20', settings, allowances)).toBe(200);
  });
});
