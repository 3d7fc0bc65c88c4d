import { addDays } from '#kernel/dates.js';
import { nameKey } from '#kernel/names.js';
import { CreateProviderMapping } from '#payroll/provider-mapping/provider-mapping.api.js';
import { ChangeOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import type { NewCustomField } from '#organisation/custom-field/custom-field.api.js';
import { CUSTOM_FIELD } from '#organisation/custom-field/custom-field.rules.js';
import { LOCATION, type Location } from '#organisation/location/location.js';
import type { WorkingPattern } from '#organisation/working-pattern/working-pattern.js';
import { SetUpOrganisation, type SettingIds } from '#composition/set-up.js';
import { ChangeTimeOffCategory } from '#time-off/category/time-off-category.api.js';
import { SETTINGS, type UnitHead } from './data-files.js';
import { FULL_TIME_MINUTES } from './person-data.js';
import type { StepContext } from './steps.js';

/** The id of a resource by its name in the data files. Throws if they do not define it. */
export function idOf(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(nameKey(name));
  if (id === undefined) throw new Error(`the data files name "${name}", which they do not define`);
  return id;
}

const DAYS_OF_FULL_TIME = 5;

/** A pattern with the given number of days in each week of its cycle, from Monday on. */
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

/** The pattern of people with these weekly minutes: the same number of whole days, from Monday on. */
export function patternWith(weeklyMinutes: number): WorkingPattern {
  const days = weeklyMinutes / (FULL_TIME_MINUTES / DAYS_OF_FULL_TIME);
  return patternOf(
    SETTINGS.workingPatterns.find(({ daysOfWeeks }) => daysOfWeeks.length === 1 && daysOfWeeks[0] === days)!,
  );
}

const NOTHING_MORE = { locations: [], workPlaces: [] };

/** Creates the settings of an organisation, before its people. */
export function seedSettings(
  { send, contextOf }: StepContext,
  more: { readonly locations: readonly Partial<Location>[]; readonly workPlaces: readonly string[] } = NOTHING_MORE,
): Promise<SettingIds> {
  const { overdraft: _, locations, workPlaces, workingPatterns, customFields, ...settings } = SETTINGS;
  const fieldOf = (field: Partial<NewCustomField>, index: number) =>
    ({ ...CUSTOM_FIELD.initial, api_access: 'read_write', display_order: index + 1, ...field }) as NewCustomField;
  return send(
    new SetUpOrganisation(contextOf('settings'), {
      ...settings,
      locations: [...locations, ...more.locations].map((one) => ({ ...LOCATION.initial, ...one }) as Location),
      workPlaces: [...workPlaces, ...more.workPlaces],
      workingPatterns: workingPatterns.map(patternOf),
      customFields: customFields.map(fieldOf),
    }),
  );
}

/** Creates mappings of the departments and the categories for two providers. */
export async function seedMappings(
  { send, contextOf }: StepContext,
  { departments, categories }: SettingIds,
): Promise<void> {
  const context = contextOf('mappings');
  const terms = { status: 'active', last_synced_at: `${addDays(context.today, -1)}T02:00:00.000Z` } as const;
  const groups = [...departments].map(([name, resource_id]) => {
    const external_id = `group-${name.replace(/\W+/g, '-')}`;
    return { provider_name: 'identity', resource_type: 'org_unit', resource_id, external_id } as const;
  });
  const absences = SETTINGS.categories.map(({ label, code }) => {
    const resource_id = idOf(categories, label);
    return {
      provider_name: 'payroll',
      resource_type: 'time_off_category',
      resource_id,
      external_id: `ABS-${code!}`,
    } as const;
  });
  for (const mapping of [...groups, ...absences])
    await send(new CreateProviderMapping(context, { ...mapping, ...terms }));
}

/** Sets codes and heads of units; heads are created after the units. */
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
 * Limits overdrafts after all time off is recorded: with a limit, each record waits for a lock and calculates
 * a balance, which would take seconds of a first start.
 */
export async function limitOverdrafts({ send, contextOf }: StepContext, { categories }: SettingIds): Promise<void> {
  const { category, minutes } = SETTINGS.overdraft;
  const change = { type: 'change', changes: { negative_balance_minutes: minutes } } as const;
  await send(new ChangeTimeOffCategory(contextOf('overdrafts'), idOf(categories, category), change, null));
}
