import { type DynamicModule, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandServices } from '#commands/services.js';
import { RESOURCES } from './resources.js';
import { ResourceServices } from './services/resource-services.js';

@Module({})
class CommandBusModule {}

/** Opens a command bus for a process without a listener: it has the `handlers` of all resources. Nothing of it has to be closed. */
export async function openCommandBus({
  executor,
  store,
  projector,
  mint,
}: CommandServices & { readonly executor: Pool }): Promise<CommandBus> {
  const module: DynamicModule = {
    module: CommandBusModule,
    imports: [CqrsModule],
    providers: [
      { provide: ResourceServices, useValue: new ResourceServices(executor, store, projector, mint) },
      ...RESOURCES.flatMap(({ handlers = [] }) => handlers),
    ],
  };
  const context = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  return context.get(CommandBus);
}
