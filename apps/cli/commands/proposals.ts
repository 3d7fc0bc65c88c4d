import { type Command, Option } from 'commander';
import { PROPOSAL_STATUSES } from '#mcp/proposal/write-proposal.js';
import { action } from '../command.js';
import { LIMIT_OPTION, ofOrganisation } from '../options.js';

const DECISIONS = {
  approve: 'approve a write that an AI client proposed, and wait until it is made',
  reject: 'reject a write that an AI client proposed, permanently',
} as const;

/** `workforce proposals …`: decisions about writes that AI clients proposed. */
export function register(program: Command): void {
  const group = program
    .command('proposals')
    .description('list, approve and reject the writes that AI clients proposed');
  const list = ofOrganisation(group.command('list').description('list proposals, oldest first'))
    .addOption(new Option('--status <status>', 'only of this status').choices(PROPOSAL_STATUSES))
    .option(...LIMIT_OPTION);
  action(list, async (call) => (await work()).listProposals(call));
  const show = group
    .command('show')
    .argument('<proposal>', 'id of the proposal')
    .description('show what a proposal would change');
  action(ofOrganisation(show), async (call) => (await work()).showProposal(call));
  for (const [decision, description] of Object.entries(DECISIONS)) {
    const command = ofOrganisation(
      group.command(decision).argument('<proposal>', 'id of the proposal').description(description),
    );
    action(command, async (call) => (await work()).decideProposal(call, decision as keyof typeof DECISIONS));
  }
}

function work(): Promise<typeof import('../work/proposals.js')> {
  return import('../work/proposals.js');
}
