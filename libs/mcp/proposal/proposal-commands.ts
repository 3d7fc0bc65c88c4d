import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { WritingServices } from '#commands/services.js';
import { commit, type Outcome, type UnitContext } from '#commands/unit-of-work.js';
import { personAggregate } from '#people/person/person.js';
import {
  decideWriteProposal,
  writeProposalAggregate,
  type WriteProposalCommand,
  type WriteProposalRow,
  type WriteProposalState,
  writeProposalTable,
} from './write-proposal.js';

/** Final states, in which the write cannot be carried out any more. */
const ENDED_WITHOUT_WRITE: ReadonlySet<WriteProposalState['status']> = new Set(['rejected', 'cancelled', 'expired']);

/**
 * Runs a command on a proposal and returns its row right after it. If a proposed hire ends without a write,
 * the personal data in it is destroyed with the key that was created for the person. Throws `RejectedError`.
 */
export function commandProposal(
  services: WritingServices,
  context: CommandContext,
  id: string,
  command: WriteProposalCommand,
): Promise<WriteProposalRow> {
  return commit(services, context, (within) => stageProposal(services, within, id, command));
}

/** The same within a unit of work. */
export async function stageProposal(
  services: WritingServices,
  context: UnitContext,
  id: string,
  command: WriteProposalCommand,
): Promise<Outcome<WriteProposalRow>> {
  const result = await execute(services, context, writeProposalAggregate, id, {
    part: command.type,
    decide: (state) => decideWriteProposal(command, state),
  });
  const { state } = result;
  if (state.status !== 'none' && ENDED_WITHOUT_WRITE.has(state.status))
    await destroyUnusedKey(services, context, state.proposed.person_id);
  return () => writeProposalTable.after(result);
}

/**
 * Destroys the key of a person who does not exist and can no longer be created: their id derives from this
 * proposal, which has ended.
 */
async function destroyUnusedKey(
  { store }: WritingServices,
  { unit, organisationId }: UnitContext,
  personId: string,
): Promise<void> {
  const recorded = await store.readStream(personAggregate.streamOf(organisationId, personId), { limit: 1 });
  if (recorded.length > 0) return;
  unit.write(async (connection) => {
    await connection.query('update person_keys set key = null where organisation_id = $1 and person_id = $2', [
      organisationId,
      personId,
    ]);
  });
}
