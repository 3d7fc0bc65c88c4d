import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Answer, Call } from '#http/call.js';
import { HttpError } from '#http/errors.js';
import { ResourceServices } from '../../services/resource-services.js';
import { commandWorkingPattern, createWorkingPattern } from './working-pattern.commands.js';
import type { CreateWorkingPatternRequest, WorkingPatternParameters } from './working-pattern.contract.js';
import type { WorkingPatternCommand } from './working-pattern.decider.js';
import { findWorkingPattern, type WorkingPatternRow, workingPatternTag } from './working-pattern.queries.js';

export class CreateWorkingPattern {
  constructor(readonly call: Call<CreateWorkingPatternRequest>) {}
}
export class ChangeWorkingPattern {
  constructor(
    readonly call: Call<unknown, unknown, WorkingPatternParameters>,
    readonly command: Exclude<WorkingPatternCommand, { type: 'create' }>,
  ) {}
}

@CommandHandler(CreateWorkingPattern)
export class CreateWorkingPatternHandler implements ICommandHandler<CreateWorkingPattern> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ call }: CreateWorkingPattern): Promise<Answer> {
    const { label, cycle_weeks, anchor_date } = call.body;
    const days = call.body.days.map((day) => ({ ...day }));
    return answerWith(await createWorkingPattern(this.services, call.command!, { label, cycle_weeks, anchor_date, days }));
  }
}

@CommandHandler(ChangeWorkingPattern)
export class ChangeWorkingPatternHandler implements ICommandHandler<ChangeWorkingPattern> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ call, command }: ChangeWorkingPattern): Promise<Answer> {
    const context = call.command!;
    const { workingPatternId } = call.parameters;
    if ((await findWorkingPattern(this.services.executor, context.organisationId, workingPatternId)) === null)
      throw new HttpError('not_found');
    return answerWith(await commandWorkingPattern(this.services, context, workingPatternId, command, call.ifMatch));
  }
}

/** The handlers of this file, for the module. */
export const WORKING_PATTERN_COMMAND_HANDLERS = [CreateWorkingPatternHandler, ChangeWorkingPatternHandler];

/** A pattern with its entity tag. */
export function answerWith(row: WorkingPatternRow): Answer {
  return { data: row, entityTag: workingPatternTag(row) };
}
