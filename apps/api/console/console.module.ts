import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { CLOCK } from '#commands/injection-tokens.js';
import type { OpenIdSettings } from '#configuration/openid-connect.js';
import type { Clock } from '#kernel/clock.js';
import { AuditController } from './audit.controller.js';
import { BalanceStatementController } from './balance-statement.controller.js';
import { CalendarController } from '../calendars/calendar.controller.js';
import { AiClientsController } from './ai-clients.controller.js';
import { CalendarLinksController } from './calendar-links.controller.js';
import { ConsolePageController } from './console-page.controller.js';
import { ConsoleSessionsController } from './console-sessions.controller.js';
import { DeliveriesController } from './deliveries.controller.js';
import { EventFeedController } from './event-feed.controller.js';
import { EventFeed } from './event-feed.js';
import { HeadCountController } from './head-count.controller.js';
import { NamesController } from './names.controller.js';
import { NoticesController } from './notices.controller.js';
import { OpenIdController } from './openid.controller.js';
import { OpenIdProvider } from './openid-provider.js';
import { PayrollMarkersController } from './payroll-markers.controller.js';
import { PeopleCountController } from './people-count.controller.js';
import { PersonRecordsController } from './person-records.controller.js';
import { PreferencesController } from './preferences.controller.js';
import { PreviewsController } from './previews.controller.js';
import { OrganisationSettingsController } from './settings/organisation-settings.controller.js';
import { settingsController } from './settings/settings-controller.js';
import { SETTINGS_RESOURCES } from './settings/settings-resources.js';

/** The routes of the console and of its users' calendars, on the live address: the sandbox has no users. */
@Module({
  imports: [CqrsModule],
  controllers: [
    AuditController,
    BalanceStatementController,
    CalendarController,
    AiClientsController,
    CalendarLinksController,
    ConsolePageController,
    ConsoleSessionsController,
    DeliveriesController,
    EventFeedController,
    HeadCountController,
    NamesController,
    NoticesController,
    PayrollMarkersController,
    PeopleCountController,
    PersonRecordsController,
    PreferencesController,
    PreviewsController,
    OrganisationSettingsController,
    ...Object.entries(SETTINGS_RESOURCES).map(([kind, resource]) => settingsController(kind, resource)),
  ],
  providers: [EventFeed],
})
export class ConsoleModule {
  /** @param settings - those of the OpenID provider; null if users sign in by links only */
  static with(settings: OpenIdSettings | null): DynamicModule {
    const useFactory = (clock: Clock) => (settings === null ? null : new OpenIdProvider(settings, clock));
    return {
      module: ConsoleModule,
      controllers: settings === null ? [] : [OpenIdController],
      providers: [{ provide: OpenIdProvider, inject: [CLOCK], useFactory }],
    };
  }
}
