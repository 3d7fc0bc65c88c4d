import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandServices } from '#commands/services.js';
import { CLOCK, DATABASE_POOL, EVENT_STORE } from '#commands/injection-tokens.js';
import { IdMint } from '#identifiers/id-mint.js';
import type { Clock } from '#kernel/clock.js';
import { Projector } from '#projections/projector.js';
import type { DeliveryQueue } from '#webhooks/deliver/delivery-queues.js';
import { DELIVERY_QUEUE, ENDPOINT_URLS } from '#webhooks/injection-tokens.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import type { EndpointUrls } from '#webhooks/url-guard/endpoint-url.js';
import { RESOURCES } from './resources.js';
import { ResourceServices } from '#commands/resource-services.js';

/** The dependencies of the handlers of all resources. */
export interface CommandBusParts extends CommandServices {
  readonly executor: Pool;
  readonly clock: Clock;
  readonly secrets: WebhookSecrets;
  readonly urls: EndpointUrls;
  readonly deliveries: DeliveryQueue;
}

@Module({})
class CommandBusModule {}

/**
 * Opens a command bus for a process without a listener: it has the `handlers` of all resources. It needs no
 * closing.
 */
export async function openCommandBus(parts: CommandBusParts): Promise<CommandBus> {
  const module: DynamicModule = {
    module: CommandBusModule,
    imports: [CqrsModule],
    providers: [
      { provide: DATABASE_POOL, useValue: parts.executor },
      { provide: EVENT_STORE, useValue: parts.store },
      { provide: Projector, useValue: parts.projector },
      { provide: IdMint, useValue: parts.mint },
      { provide: CLOCK, useValue: parts.clock },
      { provide: WebhookSecrets, useValue: parts.secrets },
      { provide: ENDPOINT_URLS, useValue: parts.urls },
      { provide: DELIVERY_QUEUE, useValue: parts.deliveries },
      ResourceServices,
      ...RESOURCES.flatMap(({ handlers = [] }) => handlers),
    ],
  };
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  return context.get(CommandBus);
}
