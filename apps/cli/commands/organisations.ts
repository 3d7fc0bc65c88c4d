import { PLANS } from '#kernel/tenancy.js';
import { ApproveWrites, CreateOrganisation, SetOrganisation } from '#organisation/organisation/organisation.api.js';
import { listOrganisations, type OrganisationRow } from '#organisation/organisation/organisation.js';
import type { Profile } from '#organisation/organisation/organisation.rules.js';
import { CreateFirstTimeOffCategories } from '#time-off/category/time-off-category.api.js';
import { ChangeTimeOffSettings, checkTimeOffSettings } from '#time-off/settings/time-off-settings.api.js';
import { listHolidayRegions, readTimeOffSettings } from '#time-off/settings/time-off-settings.js';
import { command, type Entry } from '../command.js';
import { NO_ORGANISATION } from '../command-context.js';
import type { Context, Outcome } from '../declaration.js';
import { choice, clearable, fieldsOf, flag, organisation, required, setting, text } from '../options.js';
import { tableOf } from '../text-table.js';

const NAMED = { organisation: required(organisation('id or subdomain')) };
const NAME = text('<name>', 'its name');
const COUNTRY = setting('country_code', text('<code>', 'ISO 3166-1 alpha-2, such as GB'));
const PLAN = choice('<plan>', 'plan, which limits what its API keys may do', PLANS);
const TIME_ZONE = text('<zone>', 'IANA name, such as Europe/London; determines the current day');
const PROFILE = {
  name: NAME,
  country: COUNTRY,
  plan: PLAN,
  time_zone: TIME_ZONE,
  logo_url: clearable('<url>', 'https address of its logo; empty for none'),
  primary_color_light: clearable('<colour>', '#rrggbb on a light background; empty for none'),
  primary_color_dark: clearable('<colour>', '#rrggbb on a dark background; empty for none'),
};

/** `workforce organisations …`: the tenants of this installation. */
export const commands = {
  create: command({
    description: 'create an organisation',
    options: {
      name: required(NAME),
      subdomain: required(text('<label>', 'its unique DNS label; never changes')),
      country: required(COUNTRY),
      plan: required(PLAN),
      time_zone: required(TIME_ZONE),
      approve_writes: flag('let its API keys write'),
    },
    // The first organisation of an installation may be the first thing in it.
    makes: true,
    run: async (
      { name, subdomain, country: country_code, plan, time_zone, approve_writes: approveWrites },
      { send },
    ) => {
      const requested = { name, subdomain, country_code, plan, time_zone, approveWrites };
      const created = await send((context) => new CreateOrganisation(context, requested), NO_ORGANISATION);
      await send((context) => new CreateFirstTimeOffCategories(context), created);
      return outcomeOf('Created', created, created.country_code);
    },
  }),
  list: command({
    description: 'list all organisations',
    run: async (_, { pool }) => {
      const [organisations, regions] = await Promise.all([listOrganisations(pool), listHolidayRegions(pool)]);
      const text = tableOf(
        {
          ID: 'id',
          SUBDOMAIN: 'subdomain',
          NAME: 'name',
          COUNTRY: 'country_code',
          PLAN: 'plan',
          'TIME ZONE': 'time_zone',
          WRITES: (one) => (one.writes_approved ? 'approved' : 'not approved'),
        },
        organisations,
      );
      const json = organisations.map((one) => organisationJson(one, regions.get(one.id) ?? one.country_code));
      return { json: { organisations: json }, text };
    },
  }),
  update: command({
    alias: 'set',
    description: 'change the settings of an organisation',
    arguments: NAMED,
    options: {
      ...PROFILE,
      // It is one of the time-off settings.
      holiday_region: clearable(
        '<code>',
        'ISO 3166-1 or 3166-2, such as GB-ENG: region whose public holidays apply; empty for the country',
      ),
    },
    changes: 'Nothing to set: name at least one option; --help lists them.',
    run: async (given, { pool, send }) => {
      const region = given.holiday_region;
      const settings = region === undefined ? null : { holiday_region: region };
      // If one option is refused, none is set.
      const changed = await send((context) => {
        if (settings !== null) checkTimeOffSettings(settings);
        return new SetOrganisation(context, fieldsOf(given, PROFILE) as Partial<Profile>);
      });
      if (settings !== null) await send((context) => new ChangeTimeOffSettings(context, settings, null));
      return changedOutcome('Set', pool, changed);
    },
  }),
  'approve-writes': writes(
    true,
    'let API keys of the organisation write, as far as their scopes and its plan allow',
    'Writes are approved for',
  ),
  'revoke-writes': writes(false, 'revoke the approval of writes', 'Writes are no longer approved for'),
};

function writes(isApproved: boolean, description: string, done: string): Entry {
  return command({
    description,
    arguments: NAMED,
    run: async (_, { pool, send }) =>
      changedOutcome(done, pool, await send((context) => new ApproveWrites(context, isApproved))),
  });
}

async function changedOutcome(done: string, pool: Context['pool'], changed: OrganisationRow): Promise<Outcome> {
  return outcomeOf(done, changed, (await readTimeOffSettings(pool, changed.id)).holiday_region);
}

function outcomeOf(done: string, organisation: OrganisationRow, holidayRegion: string): Outcome {
  const { id, name, subdomain, plan, time_zone: zone } = organisation;
  return {
    json: organisationJson(organisation, holidayRegion),
    text: `${done} ${name} (${subdomain}, ${id}, plan ${plan}, ${zone}).`,
  };
}

function organisationJson(organisation: OrganisationRow, holiday_region: string): object {
  const { id, name, subdomain, country_code: country, plan, time_zone } = organisation;
  const { logo_url, primary_color_light, primary_color_dark, writes_approved } = organisation;
  return {
    ...{ id, name, subdomain, country, plan, time_zone, holiday_region },
    ...{ logo_url, primary_color_light, primary_color_dark, writes_approved },
  };
}
