import type { CommandContext } from '#commands/command-context.js';
import { execute, type WritingServices } from '#commands/execute.js';
import { personAggregate } from '../../people/person/person.decider.js';
import { decideWriteProposal, writeProposalAggregate, type WriteProposalCommand } from './write-proposal.decider.js';
import { type WriteProposalRow, writeProposalTable } from './write-proposal.table.js';

/** Commands after which nobody can carry the write out any more. */
const ENDS_WITHOUT_WRITE: ReadonlySet<WriteProposalCommand['type']> = new Set(['reject', 'cancel', 'expire']);

/**
 * Runs a command on a proposal and returns its row right after it. The personal data of somebody who was to be hired and was not is destroyed
 * with the key that was made for them. Throws `RejectedError`.
 */
export async function commandProposal(
  services: WritingServices,
  context: CommandContext,
  id: string,
  command: WriteProposalCommand,
): Promise<WriteProposalRow> {
  const result = await execute(services, context, writeProposalAggregate, id, {
    part: command.type,
    decide: (state) => decideWriteProposal(command, state),
  });
  const row = writeProposalTable.after(result);
  if (ENDS_WITHOUT_WRITE.has(command.type) && row.status !== 'pending')
    await destroyUnusedKey(services, context.organisationId, row.person_id);
  return row;
}

/** Destroys the key of a person who does not exist. Nobody can create them: their id derives from the one proposal, which has ended. */
async function destroyUnusedKey({ store, executor }: WritingServices, organisationId: string, personId: string): Promise<void> {
  const recorded = await store.readStream(personAggregate.streamOf(organisationId, personId), { limit: 1 });
  if (recorded.length > 0) return;
  await executor.query('update person_keys set key = null where organisation_id = $1 and person_id = $2', [organisationId, personId]);
}
