import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { DeliveryHints } from './delivery-hints.js';
import { DeliveryController } from './delivery.controller.js';
import { WebhookController } from './webhook.controller.js';
import { WEBHOOK_COMMAND_HANDLERS } from './webhook.handlers.js';
import { WebhookResourceServices } from './webhook.services.js';

@Module({
  imports: [CqrsModule],
  controllers: [WebhookController, DeliveryController],
  providers: [WebhookResourceServices, DeliveryHints, ...WEBHOOK_COMMAND_HANDLERS],
})
export class WebhookModule {}
