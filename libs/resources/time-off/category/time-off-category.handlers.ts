import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Answer, Call } from '#http/call.js';
import { HttpError } from '#http/errors.js';
import { ResourceServices } from '../../services/resource-services.js';
import { commandTimeOffCategory, createTimeOffCategory } from './time-off-category.commands.js';
import type { CreateTimeOffCategoryRequest, TimeOffCategoryParameters } from './time-off-category.contract.js';
import type { TimeOffCategoryCommand } from './time-off-category.decider.js';
import { findTimeOffCategory, type TimeOffCategoryRow, timeOffCategoryTag } from './time-off-category.queries.js';

export class CreateTimeOffCategory {
  constructor(readonly call: Call<CreateTimeOffCategoryRequest>) {}
}
export class ChangeTimeOffCategory {
  constructor(
    readonly call: Call<unknown, unknown, TimeOffCategoryParameters>,
    readonly command: Exclude<TimeOffCategoryCommand, { type: 'create' }>,
  ) {}
}

@CommandHandler(CreateTimeOffCategory)
export class CreateTimeOffCategoryHandler implements ICommandHandler<CreateTimeOffCategory> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ call }: CreateTimeOffCategory): Promise<Answer> {
    return answerWith(await createTimeOffCategory(this.services, call.command!, { ...call.body }));
  }
}

@CommandHandler(ChangeTimeOffCategory)
export class ChangeTimeOffCategoryHandler implements ICommandHandler<ChangeTimeOffCategory> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ call, command }: ChangeTimeOffCategory): Promise<Answer> {
    const context = call.command!;
    const { categoryId } = call.parameters;
    if ((await findTimeOffCategory(this.services.executor, context.organisationId, categoryId)) === null) throw new HttpError('not_found');
    return answerWith(await commandTimeOffCategory(this.services, context, categoryId, command, call.ifMatch));
  }
}

/** The handlers of this file, for the module. */
export const TIME_OFF_CATEGORY_COMMAND_HANDLERS = [CreateTimeOffCategoryHandler, ChangeTimeOffCategoryHandler];

/** A category with its entity tag. */
export function answerWith(row: TimeOffCategoryRow): Answer {
  return { data: row, entityTag: timeOffCategoryTag(row) };
}
