import { setTimeout as pause } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Json } from '#kernel/json.js';
import { openContent } from '#mcp/proposal/proposal-content.js';
import {
  ApproveWriteProposal,
  EndWriteProposal,
  presentProposal,
  type WriteProposalResponse,
} from '#mcp/proposal/write-proposal.api.js';
import {
  listWriteProposals,
  type ProposalStatus,
  type WriteProposalRow,
  writeProposalTable,
} from '#mcp/proposal/write-proposal.js';
import type { Call, Outcome } from '../declaration.js';
import { loginName } from '../command-context.js';
import { withInstallation } from '../installation.js';
import { limitOf, moreThan } from '../options.js';
import { orSentence } from '../rejection-sentence.js';
import { sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from '../find-named.js';

/** How long `approve` waits for a process of the API, which makes the write. */
const WAIT_MILLISECONDS = 10_000;
const POLL_MILLISECONDS = 100;

/** `workforce proposals list`. */
export function listProposals({ options }: Call): Promise<Outcome> {
  const limit = limitOf(options);
  return withInstallation(async ({ pool }) => {
    const { id: organisationId } = await requireOrganisation(pool, options['organisation'] as string);
    const status = (options['status'] as ProposalStatus | undefined) ?? null;
    const page = { organisationId, status, now: new Date(), visible: null, after: null, count: limit + 1 };
    const found = await listWriteProposals(pool, page);
    const shown = await Promise.all(found.slice(0, limit).map((row) => present(pool, organisationId, row)));
    const rows = shown.map((one) => [
      one.id,
      one.operation,
      one.person_id,
      one.status,
      one.created_at,
      one.client ?? '',
    ]);
    const isMore = found.length > limit;
    return {
      json: { write_proposals: shown as unknown as Json, has_more: isMore },
      text: `${textTable(['ID', 'OPERATION', 'PERSON', 'STATUS', 'PROPOSED', 'CLIENT (AS IT SAYS)'], rows)}${isMore ? moreThan(limit, 'proposal') : ''}`,
    };
  });
}

/** `workforce proposals show`. */
export function showProposal({ arguments: [id], options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const { id: organisationId } = await requireOrganisation(pool, options['organisation'] as string);
    const row = await orSentence(() => writeProposalTable.require(pool, organisationId, id!));
    return outcomeOf(await present(pool, organisationId, row));
  });
}

/**
 * `workforce proposals approve` and `reject`. A process of the API makes an approved write within a second;
 * where none runs, the first one that starts does.
 */
export function decideProposal(call: Call, type: 'approve' | 'reject'): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const { pool } = installation;
    const organisation = await requireOrganisation(pool, call.options['organisation'] as string);
    const decision = { by: { type: 'operator', id: loginName() }, now: new Date().toISOString() } as const;
    // An operator may do everything, and is no user of the organisation.
    const { row } = await sendAsOperator(installation, organisation, (context) =>
      type === 'approve'
        ? new ApproveWriteProposal(context, call.arguments[0]!, { type, ...decision, isRelated: false })
        : new EndWriteProposal(context, call.arguments[0]!, { type, ...decision }),
    );
    return outcomeOf(await present(pool, organisation.id, await ended(pool, organisation.id, row)));
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
  const table = textTable(
    ['FIELD', 'BEFORE', 'AFTER'],
    changes.map(({ field, before, after }) => [field, before ?? '', after ?? '']),
  );
  return {
    json: proposal as unknown as Json,
    text: `${id}: ${operation} for person ${person} ${MEANINGS[status]}${why}.\n\n${table}`,
  };
}
