import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import type { TimeOffRow } from '../records/time-off.queries.js';
import { changeTimeOff, type NewTimeOff, requestTimeOff, stepTimeOff, type TimeOffChanges, type TimeOffStep } from './time-off.commands.js';

export class CreateTimeOff extends Command<TimeOffRow> {
  constructor(
    readonly context: CommandContext,
    readonly timeOff: NewTimeOff,
  ) {
    super();
  }
}

export class UpdateTimeOff extends Command<TimeOffRow> {
  constructor(
    readonly context: CommandContext,
    readonly timeOffId: string,
    readonly changes: TimeOffChanges,
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

export class StepTimeOff extends Command<TimeOffRow> {
  constructor(
    readonly context: CommandContext,
    readonly timeOffId: string,
    readonly step: TimeOffStep,
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

@CommandHandler(CreateTimeOff)
class CreateTimeOffHandler implements ICommandHandler<CreateTimeOff> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, timeOff }: CreateTimeOff): Promise<TimeOffRow> {
    return requestTimeOff(this.services, context, timeOff);
  }
}

@CommandHandler(UpdateTimeOff)
class UpdateTimeOffHandler implements ICommandHandler<UpdateTimeOff> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, timeOffId, changes, ifMatch }: UpdateTimeOff): Promise<TimeOffRow> {
    return changeTimeOff(this.services, context, timeOffId, changes, ifMatch);
  }
}

@CommandHandler(StepTimeOff)
class StepTimeOffHandler implements ICommandHandler<StepTimeOff> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, timeOffId, step, ifMatch }: StepTimeOff): Promise<TimeOffRow> {
    return stepTimeOff(this.services, context, timeOffId, step, ifMatch);
  }
}

/** The handlers of this file, for the module. */
export const TIME_OFF_COMMAND_HANDLERS = [CreateTimeOffHandler, UpdateTimeOffHandler, StepTimeOffHandler];
