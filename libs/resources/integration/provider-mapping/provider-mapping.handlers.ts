import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import { changeProviderMapping, createProviderMapping, removeProviderMapping } from './provider-mapping.commands.js';
import type { MappingTerms, ProviderMapping } from './provider-mapping.decider.js';
import type { ProviderMappingRow } from './provider-mapping.queries.js';

export class CreateProviderMapping extends Command<ProviderMappingRow> {
  constructor(
    readonly context: CommandContext,
    readonly mapping: ProviderMapping,
  ) {
    super();
  }
}

export class ChangeProviderMapping extends Command<ProviderMappingRow> {
  constructor(
    readonly context: CommandContext,
    readonly mappingId: string,
    readonly changes: Partial<MappingTerms>,
  ) {
    super();
  }
}

export class RemoveProviderMapping extends Command<ProviderMappingRow> {
  constructor(
    readonly context: CommandContext,
    readonly mappingId: string,
  ) {
    super();
  }
}

@CommandHandler(CreateProviderMapping)
class CreateProviderMappingHandler implements ICommandHandler<CreateProviderMapping> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, mapping }: CreateProviderMapping): Promise<ProviderMappingRow> {
    return createProviderMapping(this.services, context, mapping);
  }
}

@CommandHandler(ChangeProviderMapping)
class ChangeProviderMappingHandler implements ICommandHandler<ChangeProviderMapping> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, mappingId, changes }: ChangeProviderMapping): Promise<ProviderMappingRow> {
    return changeProviderMapping(this.services, context, mappingId, changes);
  }
}

@CommandHandler(RemoveProviderMapping)
class RemoveProviderMappingHandler implements ICommandHandler<RemoveProviderMapping> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, mappingId }: RemoveProviderMapping): Promise<ProviderMappingRow> {
    return removeProviderMapping(this.services, context, mappingId);
  }
}

/** The handlers of this file, for the resource. */
export const PROVIDER_MAPPING_COMMAND_HANDLERS = [CreateProviderMappingHandler, ChangeProviderMappingHandler, RemoveProviderMappingHandler];
