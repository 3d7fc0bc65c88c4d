import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import {
  commandTimeOffCategory,
  createFirstTimeOffCategories,
  createTimeOffCategory,
  type WantedTimeOffCategory,
} from './time-off-category.commands.js';
import type { TimeOffCategoryCommand } from './time-off-category.decider.js';
import { type TimeOffCategoryRow, timeOffCategoryTable } from './time-off-category.table.js';

export class CreateTimeOffCategory extends Command<TimeOffCategoryRow> {
  constructor(
    readonly context: CommandContext,
    readonly category: WantedTimeOffCategory,
  ) {
    super();
  }
}

export class ChangeTimeOffCategory extends Command<TimeOffCategoryRow> {
  constructor(
    readonly context: CommandContext,
    readonly categoryId: string,
    readonly change: Exclude<TimeOffCategoryCommand, { type: 'create' }>,
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

/** Creates the missing ones of the categories that an organisation begins with. */
export class CreateFirstTimeOffCategories extends Command<void> {
  constructor(readonly context: CommandContext) {
    super();
  }
}

@CommandHandler(CreateTimeOffCategory)
class CreateTimeOffCategoryHandler implements ICommandHandler<CreateTimeOffCategory> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, category }: CreateTimeOffCategory): Promise<TimeOffCategoryRow> {
    return createTimeOffCategory(this.services, context, category);
  }
}

@CommandHandler(ChangeTimeOffCategory)
class ChangeTimeOffCategoryHandler implements ICommandHandler<ChangeTimeOffCategory> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, categoryId, change, ifMatch }: ChangeTimeOffCategory): Promise<TimeOffCategoryRow> {
    await timeOffCategoryTable.require(this.services.executor, context.organisationId, categoryId);
    return commandTimeOffCategory(this.services, context, categoryId, change, ifMatch);
  }
}

@CommandHandler(CreateFirstTimeOffCategories)
class CreateFirstTimeOffCategoriesHandler implements ICommandHandler<CreateFirstTimeOffCategories> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context }: CreateFirstTimeOffCategories): Promise<void> {
    await createFirstTimeOffCategories(this.services, context);
  }
}

/** The handlers of this file, for the module. */
export const TIME_OFF_CATEGORY_COMMAND_HANDLERS = [
  CreateTimeOffCategoryHandler,
  ChangeTimeOffCategoryHandler,
  CreateFirstTimeOffCategoriesHandler,
];
