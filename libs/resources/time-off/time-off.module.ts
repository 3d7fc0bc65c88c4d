import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ResourceServices } from '../resource-services.js';
import { TimeOffController } from './time-off.controller.js';
import { TIME_OFF_COMMAND_HANDLERS } from './time-off.handlers.js';

@Module({ imports: [CqrsModule], controllers: [TimeOffController], providers: [ResourceServices, ...TIME_OFF_COMMAND_HANDLERS] })
export class TimeOffModule {}
