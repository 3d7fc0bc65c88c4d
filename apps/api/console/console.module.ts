import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { NoticesController } from './notices.controller.js';
import { PayrollMarkersController } from './payroll-markers.controller.js';
import { PeopleCountController } from './people-count.controller.js';

/** The routes of the console, on the live address: the sandbox has no users. */
@Module({ imports: [CqrsModule], controllers: [NoticesController, PayrollMarkersController, PeopleCountController] })
export class ConsoleModule {}
