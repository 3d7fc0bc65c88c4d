import { TIME_OFF_SETTINGS_SCHEMA } from './time-off-settings.schema.js';
import { defineResource } from '../../resource.js';
import { TimeOffSettingsController } from './time-off-settings.controller.js';
import { timeOffSettingsAggregate } from './time-off-settings.decider.js';
import { ChangeTimeOffSettingsHandler } from './time-off-settings.handlers.js';
import { timeOffSettingsProjection } from './time-off-settings.projection.js';

/** The settings from which an organisation's time off is calculated. */
export const timeOffSettingsResource = defineResource({
  area: 'time-off',
  aggregates: [timeOffSettingsAggregate],
  projections: [timeOffSettingsProjection],
  schema: TIME_OFF_SETTINGS_SCHEMA,
  controllers: [TimeOffSettingsController],
  handlers: [ChangeTimeOffSettingsHandler],
});
