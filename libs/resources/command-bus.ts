import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandServices } from '#commands/services.js';
import { CLOCK, DATABASE_POOL, EVENT_STORE } from '#http/injection-tokens.js';
import { IdMint } from '#identifiers/id-mint.js';
import type { Clock } from '#kernel/clock.js';
import { Projector } from '#projections/projector.js';
import { RESOURCES } from './resources.js';
import { ResourceServices } from './services/resource-services.js';

@Module({})
class CommandBusModule {}

const SYSTEM_CLOCK: Clock = { now: () => new Date() };

/** Opens a command bus for a process without a listener: it has the `handlers` of all resources. Nothing of it has to be closed. */
export async function openCommandBus(
  { executor, store, projector, mint }: CommandServices & { readonly executor: Pool },
  clock: Clock = SYSTEM_CLOCK,
): Promise<CommandBus> {
  const module: DynamicModule = {
    module: CommandBusModule,
    imports: [CqrsModule],
    providers: [
      { provide: DATABASE_POOL, useValue: executor },
      { provide: EVENT_STORE, useValue: store },
      { provide: Projector, useValue: projector },
      { provide: IdMint, useValue: mint },
      { provide: CLOCK, useValue: clock },
      ResourceServices,
      ...RESOURCES.flatMap(({ handlers = [] }) => handlers),
    ],
  };
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  return context.get(CommandBus);
}
