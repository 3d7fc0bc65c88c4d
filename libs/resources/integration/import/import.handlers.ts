import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import type { ImportRow } from '../../importing/jobs/import-jobs.js';
import { ResourceServices } from '../../services/resource-services.js';
import { type ColumnMappings, mapImportColumns, type WantedMapping } from './import-columns.commands.js';
import { endWaitingImport, requestImport, runImport, type WantedImport } from './import.commands.js';

export class CreateImport extends Command<ImportRow> {
  constructor(
    readonly context: CommandContext,
    readonly wanted: WantedImport,
  ) {
    super();
  }
}

export class RunImport extends Command<ImportRow> {
  constructor(
    readonly context: CommandContext,
    readonly importId: string,
  ) {
    super();
  }
}

export class CancelImport extends Command<ImportRow> {
  constructor(
    readonly context: CommandContext,
    readonly importId: string,
  ) {
    super();
  }
}

export class MapImportColumns extends Command<ColumnMappings> {
  constructor(
    readonly context: CommandContext,
    readonly wanted: WantedMapping,
  ) {
    super();
  }
}

@CommandHandler(CreateImport)
class CreateImportHandler implements ICommandHandler<CreateImport> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, wanted }: CreateImport): Promise<ImportRow> {
    return requestImport(this.services, context, wanted);
  }
}

@CommandHandler(RunImport)
class RunImportHandler implements ICommandHandler<RunImport> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, importId }: RunImport): Promise<ImportRow> {
    return runImport(this.services, context, importId);
  }
}

@CommandHandler(CancelImport)
class CancelImportHandler implements ICommandHandler<CancelImport> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, importId }: CancelImport): Promise<ImportRow> {
    return endWaitingImport(this.services, context, importId);
  }
}

@CommandHandler(MapImportColumns)
class MapImportColumnsHandler implements ICommandHandler<MapImportColumns> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, wanted }: MapImportColumns): Promise<ColumnMappings> {
    return mapImportColumns(this.services, context, wanted);
  }
}

/** The handlers of this file, for the module. */
export const IMPORT_COMMAND_HANDLERS = [CreateImportHandler, RunImportHandler, CancelImportHandler, MapImportColumnsHandler];
