import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ResourceServices } from '../services/resource-services.js';
import { TimeOffController } from './requests/time-off.controller.js';
import { TIME_OFF_COMMAND_HANDLERS } from './requests/time-off.handlers.js';

@Module({ imports: [CqrsModule], controllers: [TimeOffController], providers: [ResourceServices, ...TIME_OFF_COMMAND_HANDLERS] })
export class TimeOffModule {}
