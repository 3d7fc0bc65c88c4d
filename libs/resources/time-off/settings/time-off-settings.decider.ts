import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { changesOf } from '#kernel/json.js';
import { DEFAULT_TIME_OFF_SETTINGS, settingsProblem, type TimeOffSettings } from './time-off-settings.rules.js';

// These names and fields are the storage format: add new ones, never rename or remove.
/** The first event of a stream names the settings that differ from the defaults at that time, and contains those as `defaults`. */
export type TimeOffSettingsEvent = DomainEvent<'TimeOffSettingsChanged', { changes: Partial<TimeOffSettings>; defaults?: TimeOffSettings }>;

export type TimeOffSettingsState = { readonly status: 'untouched' | 'set'; readonly settings: TimeOffSettings };

export const initialTimeOffSettings: TimeOffSettingsState = { status: 'untouched', settings: DEFAULT_TIME_OFF_SETTINGS };

/** The state with one more event. */
export function evolveTimeOffSettings(state: TimeOffSettingsState, event: TimeOffSettingsEvent): TimeOffSettingsState {
  const { changes, defaults } = event.data;
  return { status: 'set', settings: { ...(defaults ?? state.settings), ...changes } };
}

export type TimeOffSettingsCommand = {
  readonly type: 'change';
  readonly changes: Partial<TimeOffSettings>;
  /** Whether there are holidays for the named region. The caller looks it up, because the data of all countries take long to load. */
  readonly isRegionKnown: boolean;
};

/** What a command records, or why it is refused. A change that changes nothing records nothing. */
export function decideTimeOffSettings(
  { changes: named, isRegionKnown }: TimeOffSettingsCommand,
  state: TimeOffSettingsState,
): Decision<TimeOffSettingsEvent> {
  const rejection = settingsProblem(named, isRegionKnown);
  if (rejection !== null) return reject(rejection);
  const changes = changesOf(named, state.settings);
  if (changes === null) return accept();
  return accept({
    type: 'TimeOffSettingsChanged',
    data: state.status === 'untouched' ? { changes, defaults: state.settings } : { changes },
  });
}

export const timeOffSettingsAggregate = defineAggregate({
  category: 'time-off-settings',
  initial: initialTimeOffSettings,
  evolve: evolveTimeOffSettings,
  publishedAs: { TimeOffSettingsChanged: ['time_off_settings.updated'] },
  publishedOf: 'organisation',
});
