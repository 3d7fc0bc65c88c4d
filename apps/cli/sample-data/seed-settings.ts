import type { CommandContext } from '#commands/command-context.js';
import { addDays } from '#kernel/dates.js';
import { nameKey } from '#kernel/names.js';
import { CreateProviderMapping } from '#payroll/provider-mapping/provider-mapping.api.js';
import { ChangeOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import type { SettingIds, WantedSettings } from '#composition/set-up.js';
import { ChangeTimeOffCategory } from '#time-off/category/time-off-category.api.js';
import { DIVISIONS, WORK_PLACES, WORK_TYPES } from './demo-person.js';
import {
  ANNUAL_LEAVE,
  CATEGORIES,
  CUSTOM_FIELDS,
  DOCUMENT_TYPE_LABELS,
  OVERDRAFT_MINUTES,
  TIME_OFF_SETTINGS,
} from './policies.js';
import type { Seeding } from './seeding.js';
import { LOCATIONS, UNIT_HEADS, WORKING_PATTERNS } from './settings.js';

/** What an organisation's people refer to. */
export type Settings = SettingIds;

/** What a made-up organisation sets up before its people come. */
export const MADE_UP_SETTINGS: WantedSettings = {
  locations: LOCATIONS,
  timeOff: TIME_OFF_SETTINGS,
  units: DIVISIONS,
  workPlaces: WORK_PLACES,
  workTypes: WORK_TYPES,
  documentTypes: DOCUMENT_TYPE_LABELS,
  workingPatterns: WORKING_PATTERNS,
  categories: CATEGORIES,
  customFields: CUSTOM_FIELDS,
};

/** What two providers call the departments and the categories. */
export async function seedMappings(
  { send }: Seeding,
  context: CommandContext,
  { departments, categories }: Settings,
): Promise<void> {
  const terms = { status: 'active', last_synced_at: `${addDays(context.today, -1)}T02:00:00.000Z` } as const;
  for (const [name, id] of departments) {
    const external_id = `group-${name.replace(/\W+/g, '-')}`;
    const mapping = {
      provider_name: 'identity',
      resource_type: 'org_unit',
      resource_id: id,
      external_id,
      ...terms,
    } as const;
    await send(new CreateProviderMapping(context, mapping));
  }
  for (const { label, code } of CATEGORIES) {
    const resource_id = categories.get(nameKey(label))!;
    const mapping = {
      provider_name: 'payroll',
      resource_type: 'time_off_category',
      resource_id,
      external_id: `ABS-${code!}`,
      ...terms,
    } as const;
    await send(new CreateProviderMapping(context, mapping));
  }
}

/** Gives the units their codes and heads, who come later than the units. */
export async function seedHeads(
  { send }: Seeding,
  context: CommandContext,
  { departments }: Settings,
  personIds: readonly string[],
): Promise<void> {
  for (const { unit, code, head } of UNIT_HEADS) {
    const change = { type: 'change', changes: { code, head_id: personIds[head]! } } as const;
    await send(new ChangeOrgUnit(context, departments.get(nameKey(unit))!, change, null));
  }
}

/**
 * Set when all time off is recorded: under a limit each record waits for its turn and calculates a balance,
 * which takes a first start seconds.
 */
export async function limitOverdrafts(
  { send }: Seeding,
  context: CommandContext,
  { categories }: Settings,
): Promise<void> {
  const changes = { negative_balance_minutes: OVERDRAFT_MINUTES };
  await send(
    new ChangeTimeOffCategory(context, categories.get(nameKey(ANNUAL_LEAVE))!, { type: 'change', changes }, null),
  );
}
