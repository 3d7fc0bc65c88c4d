import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ResourceServices } from '../services/resource-services.js';
import { PublicHolidayController } from './public-holiday/public-holiday.controller.js';
import { TimeOffCategoryController } from './category/time-off-category.controller.js';
import { TIME_OFF_CATEGORY_COMMAND_HANDLERS } from './category/time-off-category.handlers.js';
import { TimeOffSettingsController } from './settings/time-off-settings.controller.js';
import { ChangeTimeOffSettingsHandler } from './settings/time-off-settings.handlers.js';

/** What time off is calculated from: categories, settings and public holidays. */
@Module({
  imports: [CqrsModule],
  controllers: [TimeOffCategoryController, TimeOffSettingsController, PublicHolidayController],
  providers: [ResourceServices, ...TIME_OFF_CATEGORY_COMMAND_HANDLERS, ChangeTimeOffSettingsHandler],
})
export class TimeOffSetUpModule {}
