import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import { adjustBalance, type NewAdjustment, type RecordedAdjustment } from './ledger.commands.js';

export class AdjustBalance extends Command<RecordedAdjustment> {
  constructor(
    readonly context: CommandContext,
    readonly personId: string,
    readonly adjustment: NewAdjustment,
  ) {
    super();
  }
}

@CommandHandler(AdjustBalance)
export class AdjustBalanceHandler implements ICommandHandler<AdjustBalance> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, personId, adjustment }: AdjustBalance): Promise<RecordedAdjustment> {
    return adjustBalance(this.services, context, personId, adjustment);
  }
}
