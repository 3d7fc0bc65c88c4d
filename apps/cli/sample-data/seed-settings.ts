import { addDays } from '#kernel/dates.js';
import { nameKey } from '#kernel/names.js';
import { CreateProviderMapping } from '#payroll/provider-mapping/provider-mapping.api.js';
import { ChangeOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import { CUSTOM_FIELD } from '#organisation/custom-field/custom-field.rules.js';
import { LOCATION, type Location } from '#organisation/location/location.js';
import type { WorkingPattern } from '#organisation/working-pattern/working-pattern.js';
import { SetUpOrganisation, type SettingIds, type WantedSettings } from '#composition/set-up.js';
import { ChangeTimeOffCategory } from '#time-off/category/time-off-category.api.js';
import { SETTINGS, type UnitHead } from './data-files.js';
import { FULL_TIME_MINUTES } from './person-data.js';
import type { StepContext } from './steps.js';

/** The id of what the data files name. Throws where it is not there. */
export function idOf(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(nameKey(name));
  if (id === undefined) throw new Error(`the data files name "${name}", which they do not define`);
  return id;
}

const DAYS_OF_FULL_TIME = 5;

/** A pattern with so many days in each week of its cycle, from Monday on. */
function patternOf({ label, daysOfWeeks }: (typeof SETTINGS.workingPatterns)[number]): WorkingPattern {
  const days = daysOfWeeks.flatMap((count, week) =>
    Array.from({ length: count }, (_, weekday) => ({
      week: week + 1,
      weekday: weekday + 1,
      morning_minutes: 240,
      afternoon_minutes: 210,
    })),
  );
  // A Monday.
  return { label, cycle_weeks: daysOfWeeks.length, anchor_date: '2018-01-01', days };
}

/** The pattern of people with these weekly minutes: as many whole days from Monday on. */
export function patternWith(weeklyMinutes: number): WorkingPattern {
  const days = weeklyMinutes / (FULL_TIME_MINUTES / DAYS_OF_FULL_TIME);
  return patternOf(
    SETTINGS.workingPatterns.find(({ daysOfWeeks }) => daysOfWeeks.length === 1 && daysOfWeeks[0] === days)!,
  );
}

/** What an organisation sets up before its people come. */
export function wantedSettings(
  more: { readonly locations: readonly Partial<Location>[]; readonly workPlaces: readonly string[] } = {
    locations: [],
    workPlaces: [],
  },
): WantedSettings {
  const { overdraft: _, ...settings } = SETTINGS;
  return {
    ...settings,
    locations: [...settings.locations, ...more.locations].map((location) => ({
      ...LOCATION.initial,
      ...location,
    })) as readonly Location[],
    workPlaces: [...settings.workPlaces, ...more.workPlaces],
    workingPatterns: settings.workingPatterns.map(patternOf),
    customFields: settings.customFields.map((field, index) => ({
      ...CUSTOM_FIELD.initial,
      api_access: 'read_write',
      display_order: index + 1,
      ...field,
    })) as WantedSettings['customFields'],
  };
}

/** Sets an organisation up. */
export function seedSettings({ send, contextOf }: StepContext, settings: WantedSettings): Promise<SettingIds> {
  return send(new SetUpOrganisation(contextOf('settings'), settings));
}

/** What two providers call the departments and the categories. */
export async function seedMappings(
  { send, contextOf }: StepContext,
  { departments, categories }: SettingIds,
): Promise<void> {
  const context = contextOf('mappings');
  const map = async (
    provider_name: string,
    resource_type: 'org_unit' | 'time_off_category',
    resource_id: string,
    external_id: string,
  ): Promise<void> => {
    const last_synced_at = `${addDays(context.today, -1)}T02:00:00.000Z`;
    const mapping = {
      provider_name,
      resource_type,
      resource_id,
      external_id,
      status: 'active',
      last_synced_at,
    } as const;
    await send(new CreateProviderMapping(context, mapping));
  };
  for (const [name, id] of departments) await map('identity', 'org_unit', id, `group-${name.replace(/\W+/g, '-')}`);
  for (const { label, code } of SETTINGS.categories)
    await map('payroll', 'time_off_category', idOf(categories, label), `ABS-${code!}`);
}

/** Gives units their codes and heads, who come later than the units. */
export async function seedHeads(
  { send, contextOf }: StepContext,
  { departments }: SettingIds,
  heads: readonly UnitHead[],
  personIds: readonly string[],
): Promise<void> {
  for (const { unit, code, head } of heads) {
    const change = { type: 'change', changes: { code, head_id: personIds[head - 1]! } } as const;
    await send(new ChangeOrgUnit(contextOf('head'), idOf(departments, unit), change, null));
  }
}

/**
 * Set when all time off is recorded: under a limit each record waits for its turn and calculates a balance,
 * which takes a first start seconds.
 */
export async function limitOverdrafts({ send, contextOf }: StepContext, { categories }: SettingIds): Promise<void> {
  const { category, minutes } = SETTINGS.overdraft;
  const change = { type: 'change', changes: { negative_balance_minutes: minutes } } as const;
  await send(new ChangeTimeOffCategory(contextOf('overdrafts'), idOf(categories, category), change, null));
}
