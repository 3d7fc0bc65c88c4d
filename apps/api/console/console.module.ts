import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { NoticesController } from './notices.controller.js';
import { PayrollMarkersController } from './payroll-markers.controller.js';
import { PeopleCountController } from './people-count.controller.js';
import { OrganisationSettingsController } from './settings/organisation-settings.controller.js';
import { settingsController } from './settings/settings-controller.js';
import { SETTINGS_RESOURCES } from './settings/settings-resources.js';

/** The routes of the console, on the live address: the sandbox has no users. */
@Module({
  imports: [CqrsModule],
  controllers: [
    NoticesController,
    PayrollMarkersController,
    PeopleCountController,
    OrganisationSettingsController,
    ...Object.entries(SETTINGS_RESOURCES).map(([kind, resource]) => settingsController(kind, resource)),
  ],
})
export class ConsoleModule {}
