import { REASONS_OF_WEBHOOKS_MIGRATION, WEBHOOKS_SCHEMA } from './webhook.schema.js';
import { defineResource } from '../../resource.js';
import { DeliveryAdder } from './delivery-adder.js';
import { DeliveryController } from './delivery.controller.js';
import { WebhookController } from './webhook.controller.js';
import { webhookAggregate } from './webhook.decider.js';
import { WEBHOOK_COMMAND_HANDLERS } from './webhook.handlers.js';
import { WEBHOOK_WORKER_HANDLERS } from './webhook-worker.handlers.js';
import { webhookProjection } from './webhook.projection.js';
import { WebhookResourceServices } from './webhook.services.js';

/** Webhook endpoints and their deliveries. */
export const webhookResource = defineResource({
  area: 'integration',
  aggregates: [webhookAggregate],
  projections: [webhookProjection],
  schema: WEBHOOKS_SCHEMA,
  migrations: [REASONS_OF_WEBHOOKS_MIGRATION],
  controllers: [WebhookController, DeliveryController],
  handlers: [WebhookResourceServices, DeliveryAdder, ...WEBHOOK_COMMAND_HANDLERS, ...WEBHOOK_WORKER_HANDLERS],
});
