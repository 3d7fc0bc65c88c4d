import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import { openContent } from '#mcp/proposal/proposal-content.js';
import {
  ApproveWriteProposal,
  EndWriteProposal,
  presentProposal,
  type WriteProposalResponse,
} from '#mcp/proposal/write-proposal.api.js';
import {
  listWriteProposals,
  PROPOSAL_STATUSES,
  type ProposalStatus,
  type WriteProposalRow,
  writeProposalTable,
} from '#mcp/proposal/write-proposal.js';
import { command, type Entry } from '../command.js';
import { loginName } from '../command-context.js';
import type { Outcome } from '../declaration.js';
import { argument, choice, LIMIT, ORGANISATION } from '../options.js';
import { orSentence } from '../rejection-sentence.js';
import { cutListOf, tableOf } from '../text-table.js';

/** The time for which `approve` waits for a process of the API, which makes the write. */
const WAIT_MILLISECONDS = 10_000;
const POLL_MILLISECONDS = 100;

const PROPOSAL = { proposal: argument('id of the proposal') };

/** `workforce proposals …`: decisions about writes that AI clients proposed. */
export const commands = {
  list: command({
    description: 'list proposals, oldest first',
    options: {
      organisation: ORGANISATION,
      status: choice('<status>', 'only of this status', PROPOSAL_STATUSES),
      limit: LIMIT,
    },
    run: async ({ organisation: { id: organisationId }, status = null, limit }, { pool }) => {
      const page = { organisationId, status, now: new Date(), visible: null, after: null, count: limit + 1 };
      const rows = await listWriteProposals(pool, page);
      const proposals = await Promise.all(rows.map((row) => present(pool, organisationId, row)));
      return cutListOf(['write_proposals', 'proposal'], limit, proposals, {
        ID: 'id',
        OPERATION: 'operation',
        PERSON: 'person_id',
        STATUS: 'status',
        PROPOSED: 'created_at',
        'CLIENT (AS IT SAYS)': 'client',
      });
    },
  }),
  show: command({
    description: 'show what a proposal would change',
    arguments: PROPOSAL,
    options: { organisation: ORGANISATION },
    run: async ({ proposal, organisation: { id } }, { pool }) => {
      const row = await orSentence(() => writeProposalTable.require(pool, id, proposal));
      return outcomeOf(await present(pool, id, row));
    },
  }),
  approve: decide('approve', 'approve a write that an AI client proposed, and wait until it is made'),
  reject: decide('reject', 'reject a write that an AI client proposed, permanently'),
};

/**
 * Decides about a proposal. A process of the API makes an approved write within a second; if none runs, the
 * first one that starts does.
 */
function decide(type: 'approve' | 'reject', description: string): Entry {
  return command({
    description,
    arguments: PROPOSAL,
    options: { organisation: ORGANISATION },
    run: async ({ proposal, organisation: { id } }, { pool, send }) => {
      const decision = { by: { type: 'operator', id: loginName() }, now: new Date().toISOString() } as const;
      // An operator is not related to any key, because operators are not users of the organisation.
      const { row } = await send((context) =>
        type === 'approve'
          ? new ApproveWriteProposal(context, proposal, { type, ...decision, isRelated: false })
          : new EndWriteProposal(context, proposal, { type, ...decision }),
      );
      return outcomeOf(await present(pool, id, await ended(pool, id, row)));
    },
  });
}

/** The proposal once its write has ended, or as it is after {@link WAIT_MILLISECONDS}. */
async function ended(pool: Pool, organisationId: string, row: WriteProposalRow): Promise<WriteProposalRow> {
  const deadline = Date.now() + WAIT_MILLISECONDS;
  let current = row;
  while (current.status === 'approved' && Date.now() < deadline) {
    await pause(POLL_MILLISECONDS);
    current = await writeProposalTable.require(pool, organisationId, row.id);
  }
  return current;
}

async function present(pool: Pool, organisationId: string, row: WriteProposalRow): Promise<WriteProposalResponse> {
  const content = await openContent(pool, organisationId, row);
  return presentProposal(row, content, { summary: row.operation, now: new Date() });
}

const MEANINGS: Readonly<Record<ProposalStatus, string>> = {
  pending: 'waits for a decision',
  approved: 'is approved, and an API process makes the write as soon as one runs',
  applied: 'is approved and written',
  overtaken: 'is approved, but nothing was written',
  rejected: 'is rejected',
  cancelled: 'was withdrawn by the key that made it',
  expired: 'is expired',
};

function outcomeOf(proposal: WriteProposalResponse): Outcome {
  const { id, operation, person_id: person, status, changes, refusal } = proposal;
  const why = refusal === null ? '' : `: ${refusal.message} (${refusal.code})`;
  const table = tableOf({ FIELD: 'field', BEFORE: 'before', AFTER: 'after' }, changes);
  return { json: proposal, text: `${id}: ${operation} for person ${person} ${MEANINGS[status]}${why}.\n\n${table}` };
}
