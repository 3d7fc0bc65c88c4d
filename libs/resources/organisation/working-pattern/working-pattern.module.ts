import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ResourceServices } from '../../services/resource-services.js';
import { WorkingPatternController } from './working-pattern.controller.js';
import { WORKING_PATTERN_COMMAND_HANDLERS } from './working-pattern.handlers.js';

@Module({
  imports: [CqrsModule],
  controllers: [WorkingPatternController],
  providers: [ResourceServices, ...WORKING_PATTERN_COMMAND_HANDLERS],
})
export class WorkingPatternModule {}
