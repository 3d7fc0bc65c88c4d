import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { lineProblem } from '#kernel/plain-text.js';
import { invalid, RejectedError } from '#kernel/rejection.js';
import { ResourceServices } from '../../services/resource-services.js';
import { decideAbout, type RecordedDecision, type WantedDecision } from './time-off.commands.js';

export class DecideTimeOff extends Command<RecordedDecision> {
  constructor(
    readonly context: CommandContext,
    readonly timeOffId: string,
    readonly decision: WantedDecision,
    readonly ifMatch: readonly string[] | null,
  ) {
    super();
  }
}

@CommandHandler(DecideTimeOff)
export class DecideTimeOffHandler implements ICommandHandler<DecideTimeOff> {
  constructor(private readonly services: ResourceServices) {}

  async execute({ context, timeOffId, decision, ifMatch }: DecideTimeOff): Promise<RecordedDecision> {
    const problem = decision.note === null ? null : lineProblem(decision.note);
    if (problem !== null) throw new RejectedError(invalid('note', problem));
    return decideAbout(this.services, context, timeOffId, decision, ifMatch);
  }
}
