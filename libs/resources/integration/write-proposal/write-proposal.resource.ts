import { defineResource } from '../../resource.js';
import { RecordProposalHandler } from './proposal-record.handlers.js';
import { WriteProposalController } from './write-proposal.controller.js';
import { WRITE_PROPOSAL_COMMAND_HANDLERS } from './write-proposal.handlers.js';
import { WRITE_PROPOSALS_MIGRATION, writeProposalTable } from './write-proposal.table.js';
import { WriteProposals } from './write-proposals.js';

/** Writes that AI clients propose and people approve. */
export const writeProposalResource = defineResource({
  area: 'integration',
  tables: [writeProposalTable],
  migrations: [WRITE_PROPOSALS_MIGRATION],
  controllers: [WriteProposalController],
  handlers: [RecordProposalHandler, ...WRITE_PROPOSAL_COMMAND_HANDLERS],
  providers: [WriteProposals],
});
