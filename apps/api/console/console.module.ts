import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AuditController } from './audit.controller.js';
import { DeliveriesController } from './deliveries.controller.js';
import { NoticesController } from './notices.controller.js';
import { PayrollMarkersController } from './payroll-markers.controller.js';
import { PeopleCountController } from './people-count.controller.js';

/** The routes of the console, on the live address: the sandbox has no users. */
@Module({
  imports: [CqrsModule],
  controllers: [
    AuditController,
    DeliveriesController,
    NoticesController,
    PayrollMarkersController,
    PeopleCountController,
  ],
})
export class ConsoleModule {}
