import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import { markPayroll, withdrawPayrollMarker } from './payroll-marker.commands.js';
import type { MarkerFact } from './payroll-marker.decider.js';

/** Whether a command about markers recorded anything. */
export interface Marked {
  readonly isNew: boolean;
}

export class MarkPayroll extends Command<Marked> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly fact: MarkerFact,
  ) {
    super();
  }
}

export class WithdrawPayrollMarker extends Command<Marked> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly markerId: string,
  ) {
    super();
  }
}

@CommandHandler(MarkPayroll)
class MarkPayrollHandler implements ICommandHandler<MarkPayroll> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, personId, fact }: MarkPayroll): Promise<Marked> {
    return markPayroll(this.services, context, personId, fact);
  }
}

@CommandHandler(WithdrawPayrollMarker)
class WithdrawPayrollMarkerHandler implements ICommandHandler<WithdrawPayrollMarker> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, personId, markerId }: WithdrawPayrollMarker): Promise<Marked> {
    return withdrawPayrollMarker(this.services, context, personId, markerId);
  }
}

/** The handlers of this file, for the resource. */
export const PAYROLL_MARKER_COMMAND_HANDLERS = [MarkPayrollHandler, WithdrawPayrollMarkerHandler];
