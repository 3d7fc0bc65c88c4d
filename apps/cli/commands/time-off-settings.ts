import { ChangeTimeOffSettings } from '#time-off/settings/time-off-settings.api.js';
import { readTimeOffSettings, type TimeOffSettingsRow } from '#time-off/settings/time-off-settings.js';
import { TIME_OFF_SETTINGS, type TimeOffSettings } from '#time-off/settings/time-off-settings.rules.js';
import { command } from '../command.js';
import type { Outcome } from '../declaration.js';
import { fieldsOf, NO_OPTION_NAMED, ORGANISATION } from '../options.js';
import { optionsOf } from '../resource-commands.js';
import { tableOf } from '../text-table.js';

const SETTINGS = optionsOf(TIME_OFF_SETTINGS).update;

/** `workforce time-off-settings …`. */
export const commands = {
  show: command({
    description: 'show the settings in force',
    options: { organisation: ORGANISATION },
    run: async ({ organisation }, { pool }) => outcomeOf(await readTimeOffSettings(pool, organisation.id)),
  }),
  update: command({
    description: 'change settings',
    alias: 'set',
    options: { organisation: ORGANISATION, ...SETTINGS },
    changes: NO_OPTION_NAMED,
    run: async (given, { send }) => {
      const named = fieldsOf(given, SETTINGS);
      return outcomeOf(await send((context) => new ChangeTimeOffSettings(context, named, null)));
    },
  }),
};

function outcomeOf(row: TimeOffSettingsRow): Outcome {
  const names = Object.keys(TIME_OFF_SETTINGS.fields) as (keyof TimeOffSettings)[];
  const settings = names.map((setting) => ({ setting, value: row[setting] }));
  const json = {
    ...Object.fromEntries(settings.map(({ setting, value }) => [setting, value])),
    updated_at: row.updated_at,
  };
  return { json, text: tableOf({ SETTING: 'setting', VALUE: ({ value }) => String(value ?? 'never') }, settings) };
}
