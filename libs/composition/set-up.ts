import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import { nameKey } from '#kernel/names.js';
import { findOrCreateCustomField, type NewCustomField } from '#organisation/custom-field/custom-field.api.js';
import { DOCUMENT_TYPES, WORK_PLACES, WORK_TYPES } from '#organisation/dictionary/dictionary.api.js';
import { findOrCreateLocation } from '#organisation/location/location.api.js';
import type { Location } from '#organisation/location/location.js';
import { findOrCreateOrgUnit } from '#organisation/org-unit/org-unit.api.js';
import { findOrCreateWorkingPattern } from '#organisation/working-pattern/working-pattern.api.js';
import type { WorkingPattern } from '#organisation/working-pattern/working-pattern.js';
import { findOrCreateTimeOffCategory } from '#time-off/category/time-off-category.api.js';
import type { TimeOffCategoryInput } from '#time-off/category/time-off-category.rules.js';
import { changeTimeOffSettings } from '#time-off/settings/time-off-settings.api.js';
import type { TimeOffSettings } from '#time-off/settings/time-off-settings.rules.js';

/** The settings of an organisation that are recorded before its people. */
export interface RequestedSettings {
  readonly locations: readonly Location[];
  readonly timeOff: Partial<TimeOffSettings>;
  /** The names of the units at the top, each with the names of the units below it. */
  readonly units: Readonly<Record<string, readonly string[]>>;
  readonly workPlaces: readonly string[];
  readonly workTypes: readonly string[];
  readonly documentTypes: readonly string[];
  readonly workingPatterns: readonly WorkingPattern[];
  readonly categories: readonly TimeOffCategoryInput[];
  readonly customFields: readonly NewCustomField[];
}

type Ids = ReadonlyMap<string, string>;

/** Ids by `nameKey`, those of custom fields by key. */
export interface SettingIds {
  /** Of the units at the top and of those below them. */
  readonly departments: Ids;
  readonly workPlaces: Ids;
  readonly workTypes: Ids;
  readonly documentTypes: Ids;
  readonly workingPatterns: Ids;
  readonly categories: Ids;
  readonly customFields: Ids;
}

/** Creates the missing settings of an organisation; a setting whose name exists already stays unchanged. */
export class SetUpOrganisation extends Command<SettingIds> {
  constructor(
    readonly context: CommandContext,
    readonly settings: RequestedSettings,
  ) {
    super();
  }
}

@CommandHandler(SetUpOrganisation)
class SetUpOrganisationHandler implements ICommandHandler<SetUpOrganisation> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, settings }: SetUpOrganisation): Promise<SettingIds> {
    const { services } = this;
    for (const location of settings.locations) await findOrCreateLocation(services, context, location);
    await changeTimeOffSettings(services, context, settings.timeOff);
    const byLabel = ({ label }: { readonly label: string }): string => nameKey(label);
    return {
      departments: await this.unitsOf(context, settings.units),
      workPlaces: idsOf(await WORK_PLACES.findOrCreate(services, context, settings.workPlaces)),
      workTypes: idsOf(await WORK_TYPES.findOrCreate(services, context, settings.workTypes)),
      documentTypes: idsOf(await DOCUMENT_TYPES.findOrCreate(services, context, settings.documentTypes)),
      workingPatterns: await each(settings.workingPatterns, byLabel, (one) =>
        findOrCreateWorkingPattern(services, context, one),
      ),
      categories: await each(settings.categories, byLabel, (one) =>
        findOrCreateTimeOffCategory(services, context, one),
      ),
      customFields: await each(
        settings.customFields,
        ({ key }) => key,
        async (field) => (await findOrCreateCustomField(services, context, field)).row,
      ),
    };
  }

  private async unitsOf(context: CommandContext, units: RequestedSettings['units']): Promise<Ids> {
    const ids = new Map<string, string>();
    for (const [top, names] of Object.entries(units)) {
      const { id: parentId } = await findOrCreateOrgUnit(this.services, context, { name: top });
      ids.set(nameKey(top), parentId);
      for (const name of names)
        ids.set(nameKey(name), (await findOrCreateOrgUnit(this.services, context, { name, parentId })).id);
    }
    return ids;
  }
}

async function each<T>(
  requested: readonly T[],
  keyOf: (one: T) => string,
  make: (one: T) => Promise<{ readonly id: string }>,
): Promise<Ids> {
  const ids = new Map<string, string>();
  for (const one of requested) ids.set(keyOf(one), (await make(one)).id);
  return ids;
}

function idsOf(found: ReadonlyMap<string, { readonly id: string }>): Ids {
  return new Map([...found].map(([key, { id }]) => [key, id]));
}

/** The settings of a new organisation, which are recorded before its people. */
export const setUpResource = defineResource({ area: 'organisation', handlers: [SetUpOrganisationHandler] });
