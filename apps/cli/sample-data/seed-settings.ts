import type { CommandContext } from '#commands/command-context.js';
import { addDays } from '#kernel/dates.js';
import type { CommandServices } from '#commands/services.js';
import { findOrCreateCustomField } from '#resources/organisation/custom-field/custom-field.commands.js';
import {
  DOCUMENT_TYPES,
  WORK_PLACES as WORK_PLACE_COMMANDS,
  WORK_TYPES as WORK_TYPE_COMMANDS,
} from '#resources/organisation/dictionary/dictionary.commands.js';
import { findOrCreateLocation } from '#resources/organisation/location/location.commands.js';
import { nameKey } from '#resources/naming/name-key.js';
import { commandOrgUnit, findOrCreateOrgUnit } from '#resources/organisation/org-unit/org-unit.commands.js';
import { createProviderMapping } from '#resources/integration/provider-mapping/provider-mapping.commands.js';
import { commandTimeOffCategory, findOrCreateTimeOffCategory } from '#resources/time-off/category/time-off-category.commands.js';
import { changeTimeOffSettings } from '#resources/time-off/settings/time-off-settings.commands.js';
import { findOrCreateWorkingPattern } from '#resources/organisation/working-pattern/working-pattern.commands.js';
import { ANNUAL_LEAVE, CATEGORIES, CUSTOM_FIELDS, DOCUMENT_TYPE_LABELS, OVERDRAFT_MINUTES, TIME_OFF_SETTINGS } from './policies.js';
import { LOCATIONS, UNIT_HEADS, WORKING_PATTERNS } from './settings.js';
import { DIVISIONS, WORK_PLACES, WORK_TYPES } from './demo-person.js';

/** Ids of what people are given, by name. */
type Ids = ReadonlyMap<string, string>;

/** What an organisation's people refer to: ids by `nameKey`, those of custom fields by key. */
export interface Settings {
  /** Divisions too. */
  readonly departments: Ids;
  readonly workPlaces: Ids;
  readonly workTypes: Ids;
  readonly workingPatterns: Ids;
  readonly categories: Ids;
  readonly customFields: Ids;
  readonly documentTypes: Ids;
}

/** Makes all that a made-up organisation sets up before its people come. Done twice, it makes nothing double. */
export async function seedSettings(services: CommandServices, context: CommandContext): Promise<Settings> {
  for (const location of LOCATIONS) await findOrCreateLocation(services, context, location);
  await changeTimeOffSettings(services, context, TIME_OFF_SETTINGS);
  return {
    departments: await seedDepartments(services, context),
    workPlaces: idsOf(await WORK_PLACE_COMMANDS.findOrCreate(services, context, WORK_PLACES)),
    workTypes: idsOf(await WORK_TYPE_COMMANDS.findOrCreate(services, context, WORK_TYPES)),
    documentTypes: idsOf(await DOCUMENT_TYPES.findOrCreate(services, context, DOCUMENT_TYPE_LABELS)),
    workingPatterns: await each(
      WORKING_PATTERNS,
      ({ label }) => nameKey(label),
      (pattern) => findOrCreateWorkingPattern(services, context, pattern),
    ),
    categories: await each(
      CATEGORIES,
      ({ label }) => nameKey(label),
      (category) => findOrCreateTimeOffCategory(services, context, category),
    ),
    customFields: await each(
      CUSTOM_FIELDS,
      ({ key }) => key,
      async (field) => (await findOrCreateCustomField(services, context, field)).row,
    ),
  };
}

/** What two providers call the departments and the categories. */
export async function seedMappings(
  services: CommandServices,
  context: CommandContext,
  { departments, categories }: Settings,
): Promise<void> {
  const terms = { status: 'active', last_synced_at: `${addDays(context.today, -1)}T02:00:00.000Z` } as const;
  for (const [name, id] of departments) {
    const external_id = `group-${name.replace(/\W+/g, '-')}`;
    await createProviderMapping(services, context, {
      provider_name: 'identity',
      resource_type: 'org_unit',
      resource_id: id,
      external_id,
      ...terms,
    });
  }
  for (const { label, code } of CATEGORIES) {
    const resource_id = categories.get(nameKey(label))!;
    await createProviderMapping(services, context, {
      provider_name: 'payroll',
      resource_type: 'time_off_category',
      resource_id,
      external_id: `ABS-${code!}`,
      ...terms,
    });
  }
}

/** Gives the units their codes and heads, who come later than the units. */
export async function seedHeads(
  services: CommandServices,
  context: CommandContext,
  { departments }: Settings,
  personIds: readonly string[],
): Promise<void> {
  for (const { unit, code, head } of UNIT_HEADS) {
    await commandOrgUnit(services, context, departments.get(nameKey(unit))!, {
      type: 'change',
      changes: { code, head_id: personIds[head]! },
    });
  }
}

/** Set when all time off is recorded: under a limit each record waits for its turn and calculates a balance, which takes a first start seconds. */
export async function limitOverdrafts(services: CommandServices, context: CommandContext, { categories }: Settings): Promise<void> {
  const changes = { negative_balance_minutes: OVERDRAFT_MINUTES };
  await commandTimeOffCategory(services, context, categories.get(nameKey(ANNUAL_LEAVE))!, { type: 'change', changes });
}

/** The divisions, and the departments below them. */
async function seedDepartments(services: CommandServices, context: CommandContext): Promise<Ids> {
  const departments = new Map<string, string>();
  for (const [division, names] of Object.entries(DIVISIONS)) {
    const { id: parentId } = await findOrCreateOrgUnit(services, context, { name: division });
    departments.set(nameKey(division), parentId);
    for (const name of names) departments.set(nameKey(name), (await findOrCreateOrgUnit(services, context, { name, parentId })).id);
  }
  return departments;
}

async function each<T>(wanted: readonly T[], keyOf: (one: T) => string, make: (one: T) => Promise<{ readonly id: string }>): Promise<Ids> {
  const ids = new Map<string, string>();
  for (const one of wanted) ids.set(keyOf(one), (await make(one)).id);
  return ids;
}

function idsOf(found: ReadonlyMap<string, { readonly id: string }>): Ids {
  return new Map([...found].map(([key, { id }]) => [key, id]));
}
