import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '#commands/resource-services.js';
import { commandProposal } from './proposal-commands.js';
import type { WriteProposalCommand, WriteProposalRow } from './write-proposal.js';

/** Steps of a proposal without a human decision: its creation, its expiry, and the outcome of its write. */
export class RecordProposal extends Command<WriteProposalRow> {
  constructor(
    readonly context: CommandContext,
    readonly writeProposalId: string,
    readonly command: Extract<WriteProposalCommand, { type: 'propose' | 'expire' | 'note_applied' | 'note_overtaken' }>,
  ) {
    super();
  }
}

@CommandHandler(RecordProposal)
export class RecordProposalHandler implements ICommandHandler<RecordProposal> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, writeProposalId, command }: RecordProposal): Promise<WriteProposalRow> {
    return commandProposal(this.services, context, writeProposalId, command);
  }
}
