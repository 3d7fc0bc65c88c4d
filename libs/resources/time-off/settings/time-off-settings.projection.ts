import { oneRowProjection, type RowKeys } from '#projections/one-row-table.js';
import { versionsOf } from '#projections/rule-versions.js';
import { type TimeOffSettingsState, timeOffSettingsAggregate } from './time-off-settings.decider.js';

/** The stream of an organisation's settings: `time-off-settings-{organisation}.settings`. */
export const SETTINGS_ENTITY = 'settings';

const KEYS: RowKeys = {
  primaryKey: ['organisation_id'],
  others: [],
  values: (organisationId) => ({ organisation_id: organisationId }),
  streamKey: `organisation_id || '.${SETTINGS_ENTITY}'`,
};

/** How the versions of the settings are read from their stream. */
export const SETTINGS_VERSIONS = {
  ...timeOffSettingsAggregate,
  rules: (state: TimeOffSettingsState) => (state.status === 'untouched' ? null : state.settings),
};

/** Time-off settings as they are now. */
export const timeOffSettingsProjection = oneRowProjection(timeOffSettingsAggregate, {
  table: 'time_off_settings',
  keys: KEYS,
  columns: [
    'leave_year_start',
    'accrual_method',
    'accrual_rounding_minutes',
    'carry_over_max_minutes',
    'carry_over_expires_after_days',
    'pending_counts',
    'holiday_region',
    'versions',
  ],
  lists: ['versions'],
  row: (state, stream) => ({ ...state.settings, versions: versionsOf(SETTINGS_VERSIONS, stream) }),
});
