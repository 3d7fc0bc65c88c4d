import { Optional } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { isRecorded } from '#commands/handle-command.js';
import { commit } from '#commands/unit-of-work.js';
import { ResourceServices } from '../../services/resource-services.js';
import { commandProposal, stageProposal } from './proposal-commands.js';
import { type ReadProposal, readProposal } from './proposal-content.js';
import { writeProposalAggregate, type WriteProposalCommand } from './write-proposal.decider.js';
import { writeProposalTable } from './write-proposal.table.js';
import { WriteProposals } from './write-proposals.js';

/**
 * Approves a write. A process with the operations of the API makes it right away; after an approval elsewhere, the next
 * such process does.
 */
export class ApproveWriteProposal extends Command<ReadProposal> {
  constructor(
    readonly context: CommandContext,
    readonly writeProposalId: string,
    readonly approval: Extract<WriteProposalCommand, { type: 'approve' }>,
  ) {
    super();
  }
}

/** Ends a proposal so that nothing is written. */
export class EndWriteProposal extends Command<ReadProposal> {
  constructor(
    readonly context: CommandContext,
    readonly writeProposalId: string,
    readonly end: Extract<WriteProposalCommand, { type: 'reject' | 'cancel' }>,
  ) {
    super();
  }
}

@CommandHandler(ApproveWriteProposal)
class ApproveWriteProposalHandler implements ICommandHandler<ApproveWriteProposal> {
  constructor(
    private readonly services: ResourceServices,
    @Optional() private readonly proposals?: WriteProposals,
  ) {}

  async execute({ context, writeProposalId: id, approval }: ApproveWriteProposal): Promise<ReadProposal> {
    const { services } = this;
    const { organisationId } = context;
    // The receipt is of what became of the write, so it is not stored with the decision.
    const { receipt: _, ...decision } = context;
    const stream = writeProposalAggregate.streamOf(organisationId, id);
    const isRepeat = await isRecorded(services.store, decision, { stream, part: approval.type });
    await commandProposal(services, decision, id, approval);
    await this.proposals?.carryOutSoon(organisationId, id);
    return commit(services, context, async ({ unit }) => {
      if (isRepeat) unit.noteFound();
      const row = await writeProposalTable.require(services.executor, organisationId, id);
      return ({ executor }) => readProposal(executor, organisationId, row);
    });
  }
}

@CommandHandler(EndWriteProposal)
class EndWriteProposalHandler implements ICommandHandler<EndWriteProposal> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, writeProposalId: id, end }: EndWriteProposal): Promise<ReadProposal> {
    return commit(this.services, context, async (within) => {
      const ended = await stageProposal(this.services, within, id, end);
      return async (written) => readProposal(written.executor, within.organisationId, await ended(written));
    });
  }
}

/** The handlers of this file, for the resource. */
export const WRITE_PROPOSAL_COMMAND_HANDLERS = [ApproveWriteProposalHandler, EndWriteProposalHandler];
