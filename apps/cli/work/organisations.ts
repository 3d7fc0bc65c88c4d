import type { Plan } from '#kernel/tenancy.js';
import type { JsonObject } from '#kernel/json.js';
import { ApproveWrites, CreateOrganisation, SetOrganisation } from '#organisation/organisation/organisation.api.js';
import { listOrganisations as findAll, type OrganisationRow } from '#organisation/organisation/organisation.js';
import type { Profile } from '#organisation/organisation/organisation.rules.js';
import { CreateFirstTimeOffCategories } from '#time-off/category/time-off-category.api.js';
import { ChangeTimeOffSettings, checkTimeOffSettings } from '#time-off/settings/time-off-settings.api.js';
import {
  listHolidayRegions,
  readTimeOffSettings,
  type TimeOffSettingsRow,
} from '#time-off/settings/time-off-settings.js';
import type { Call, Outcome } from '../declaration.js';
import { NO_ORGANISATION } from '../command-context.js';
import { UsageError } from '../command-error.js';
import { requireOrganisation } from '../find-named.js';
import { withInstallation } from '../installation.js';
import { type CommandOf, sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';

/** `workforce organisations create`. */
export function createOrganisation({ options }: Call): Promise<Outcome> {
  const requested = {
    name: options['name'] as string,
    subdomain: options['subdomain'] as string,
    country_code: options['country'] as string,
    plan: options['plan'] as Plan,
    time_zone: options['timeZone'] as string,
    approveWrites: options['approveWrites'] === true,
  };
  return withInstallation(
    async (installation) => {
      const created = await sendAsOperator(
        installation,
        NO_ORGANISATION,
        (context) => new CreateOrganisation(context, requested),
      );
      await sendAsOperator(installation, created, (context) => new CreateFirstTimeOffCategories(context));
      return { json: organisationJson(created, created.country_code), text: `Created ${described(created)}.` };
    },
    // The first organisation of an installation may be the first thing in it.
    { makes: true },
  );
}

/** `workforce organisations list`. */
export function listOrganisations(): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const [organisations, regions] = await Promise.all([findAll(pool), listHolidayRegions(pool)]);
    const rows = organisations.map((one) => [
      one.id,
      one.subdomain,
      one.name,
      one.country_code,
      one.plan,
      one.time_zone,
      one.writes_approved ? 'approved' : 'not approved',
    ]);
    const text = textTable(['ID', 'SUBDOMAIN', 'NAME', 'COUNTRY', 'PLAN', 'TIME ZONE', 'WRITES'], rows);
    return {
      json: {
        organisations: organisations.map((one) => organisationJson(one, regions.get(one.id) ?? one.country_code)),
      },
      text,
    };
  });
}

/**
 * `workforce organisations update`. The holiday region is one of the time-off settings. If one option is
 * refused, none is set.
 */
export function setOrganisation(call: Call): Promise<Outcome> {
  const profile = profileOf(call.options);
  const settings =
    call.options['holidayRegion'] === undefined ? null : { holiday_region: clearable(call.options, 'holidayRegion') };
  if (Object.keys(profile).length === 0 && settings === null)
    throw new UsageError('Nothing to set: name at least one option; --help lists them.');
  return change(
    call,
    (context) => {
      if (settings !== null) checkTimeOffSettings(settings);
      return new SetOrganisation(context, profile);
    },
    'Set',
    settings === null ? null : (context) => new ChangeTimeOffSettings(context, settings, null),
  );
}

/** `workforce organisations approve-writes`. */
export function approveWrites(call: Call): Promise<Outcome> {
  return change(call, (context) => new ApproveWrites(context, true), 'Writes are approved for');
}

/** `workforce organisations revoke-writes`. */
export function revokeWrites(call: Call): Promise<Outcome> {
  return change(call, (context) => new ApproveWrites(context, false), 'Writes are no longer approved for');
}

function change(
  call: Call,
  commandOf: CommandOf<OrganisationRow>,
  done: string,
  settingsOf: CommandOf<TimeOffSettingsRow> | null = null,
): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, call.arguments[0]!);
    const changed = await sendAsOperator(installation, organisation, commandOf);
    if (settingsOf !== null) await sendAsOperator(installation, organisation, settingsOf);
    const { holiday_region: region } = await readTimeOffSettings(installation.pool, changed.id);
    return { json: organisationJson(changed, region), text: `${done} ${described(changed)}.` };
  });
}

function profileOf(options: Call['options']): Partial<Profile> {
  return {
    ...(options['name'] === undefined ? {} : { name: options['name'] as string }),
    ...(options['country'] === undefined ? {} : { country_code: options['country'] as string }),
    ...(options['plan'] === undefined ? {} : { plan: options['plan'] as Plan }),
    ...(options['timeZone'] === undefined ? {} : { time_zone: options['timeZone'] as string }),
    ...(options['logoUrl'] === undefined ? {} : { logo_url: clearable(options, 'logoUrl') }),
    ...(options['primaryColorLight'] === undefined
      ? {}
      : { primary_color_light: clearable(options, 'primaryColorLight') }),
    ...(options['primaryColorDark'] === undefined
      ? {}
      : { primary_color_dark: clearable(options, 'primaryColorDark') }),
  };
}

/** Null for an empty text. */
function clearable(options: Call['options'], name: string): string | null {
  return options[name] === '' ? null : (options[name] as string);
}

function described(organisation: OrganisationRow): string {
  return `${organisation.name} (${organisation.subdomain}, ${organisation.id}, plan ${organisation.plan}, ${organisation.time_zone})`;
}

function organisationJson(organisation: OrganisationRow, holidayRegion: string): JsonObject {
  return {
    id: organisation.id,
    name: organisation.name,
    subdomain: organisation.subdomain,
    country: organisation.country_code,
    plan: organisation.plan,
    time_zone: organisation.time_zone,
    holiday_region: holidayRegion,
    logo_url: organisation.logo_url,
    primary_color_light: organisation.primary_color_light,
    primary_color_dark: organisation.primary_color_dark,
    writes_approved: organisation.writes_approved,
  };
}
