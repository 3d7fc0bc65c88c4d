import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import { commandWorkingPattern, createWorkingPattern } from './working-pattern.commands.js';
import type { WorkingPattern, WorkingPatternCommand } from './working-pattern.decider.js';
import { type WorkingPatternRow, workingPatternTable } from './working-pattern.table.js';

export class CreateWorkingPattern extends Command<WorkingPatternRow> {
  constructor(
    readonly context: CommandContext,
    readonly pattern: WorkingPattern,
  ) {
    super();
  }
}

export class ChangeWorkingPattern extends Command<WorkingPatternRow> {
  constructor(
    readonly context: CommandContext,
    readonly workingPatternId: string,
    readonly change: Exclude<WorkingPatternCommand, { type: 'create' }>,
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

@CommandHandler(CreateWorkingPattern)
class CreateWorkingPatternHandler implements ICommandHandler<CreateWorkingPattern> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, pattern }: CreateWorkingPattern): Promise<WorkingPatternRow> {
    return createWorkingPattern(this.services, context, pattern);
  }
}

@CommandHandler(ChangeWorkingPattern)
class ChangeWorkingPatternHandler implements ICommandHandler<ChangeWorkingPattern> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, workingPatternId, change, ifMatch }: ChangeWorkingPattern): Promise<WorkingPatternRow> {
    await workingPatternTable.require(this.services.executor, context.organisationId, workingPatternId);
    return commandWorkingPattern(this.services, context, workingPatternId, change, ifMatch);
  }
}

/** The handlers of this file, for the module. */
export const WORKING_PATTERN_COMMAND_HANDLERS = [CreateWorkingPatternHandler, ChangeWorkingPatternHandler];
