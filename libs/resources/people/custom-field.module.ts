import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ResourceServices } from '../services/resource-services.js';
import { CUSTOM_FIELD_VALUE_COMMAND_HANDLERS } from './custom-field-value/custom-field-value.handlers.js';
import { CustomFieldValueController } from './custom-field-value/custom-field-value.controller.js';
import { CustomFieldController } from '../organisation/custom-field/custom-field.controller.js';

@Module({
  imports: [CqrsModule],
  controllers: [CustomFieldController, CustomFieldValueController],
  providers: [ResourceServices, ...CUSTOM_FIELD_VALUE_COMMAND_HANDLERS],
})
export class CustomFieldModule {}
