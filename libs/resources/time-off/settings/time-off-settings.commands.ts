import type { CommandContext } from '#commands/command-context.js';
import { assertMatches, handleCommand } from '#commands/handle-command.js';
import { commit } from '#commands/unit-of-work.js';
import { RejectedError } from '#kernel/rejection.js';
import { versionsOf } from '#projections/rule-versions.js';
import type { CommandServices } from '#commands/services.js';
import { isHolidayRegion } from './public-holidays.rules.js';
import {
  decideTimeOffSettings,
  timeOffSettingsAggregate,
  type TimeOffSettingsEvent,
  type TimeOffSettingsState,
} from './time-off-settings.decider.js';
import { SETTINGS_ENTITY, SETTINGS_VERSIONS } from './time-off-settings.projection.js';
import { readTimeOffSettings, type TimeOffSettingsRow, timeOffSettingsTag } from './time-off-settings.queries.js';
import { settingsProblem, normaliseSettings, type TimeOffSettings } from './time-off-settings.rules.js';

/** Throws `RejectedError` where a named field is not valid, for callers that change something else first. */
export function checkTimeOffSettings(named: Partial<TimeOffSettings>): void {
  const changes = normaliseSettings(named);
  const rejection = settingsProblem(changes, isRegionKnown(changes));
  if (rejection !== null) throw new RejectedError(rejection);
}

/**
 * Changes any of the settings of the context's organisation; `ifMatch`: the entity tags that the caller expects. Throws
 * `RejectedError`, and 412 where the settings have another tag.
 */
export function changeTimeOffSettings(
  services: CommandServices,
  context: CommandContext,
  named: Partial<TimeOffSettings>,
  ifMatch: readonly string[] | null = null,
): Promise<TimeOffSettingsRow> {
  const changes = normaliseSettings(named);
  return commit(services, context, async (within) => {
    const before = await readTimeOffSettings(services.executor, context.organisationId);
    const regionOf = ({ settings }: TimeOffSettingsState): string => settings.holiday_region ?? before.country_code;
    const result = await handleCommand<TimeOffSettingsState, TimeOffSettingsEvent>(services.store, within, {
      ...timeOffSettingsAggregate,
      stream: timeOffSettingsAggregate.streamOf(context.organisationId, SETTINGS_ENTITY),
      decide: (current, at) => {
        assertMatches(ifMatch, timeOffSettingsTag({ revision: at, holiday_region: regionOf(current) }));
        return decideTimeOffSettings({ type: 'change', changes, isRegionKnown: isRegionKnown(changes) }, current);
      },
      onConflict: ifMatch === null ? 'decide_again' : 'refuse',
    });
    return () => {
      const { state, events, revision } = result;
      const last = events.at(-1);
      return {
        ...before,
        ...state.settings,
        holiday_region: regionOf(state),
        own_holiday_region: state.settings.holiday_region,
        revision,
        versions: versionsOf(SETTINGS_VERSIONS, events),
        updated_at: last === undefined ? before.updated_at : new Date(last.recordedAt),
      };
    };
  });
}

function isRegionKnown({ holiday_region: region }: Partial<TimeOffSettings>): boolean {
  return typeof region === 'string' && isHolidayRegion(region);
}
