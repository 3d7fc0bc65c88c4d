import type { ProposalContent } from './proposal-content.js';
import type { WriteProposalResponse } from './write-proposal.contract.js';
import type { WriteProposalRow } from './write-proposal.table.js';

/** A proposal as answers show it. A pending one whose time is over shows as expired before the event that says so. */
export function presentProposal(
  row: WriteProposalRow,
  content: ProposalContent | null,
  { summary, now }: { readonly summary: string; readonly now: Date },
): WriteProposalResponse {
  const decided = row.decided_by_type === null ? null : { type: row.decided_by_type, id: row.decided_by! };
  return {
    id: row.id,
    operation: row.operation,
    summary,
    status: row.status === 'pending' && row.expires_at <= now ? 'expired' : row.status,
    person_id: row.person_id,
    changes: content?.changes ?? [],
    proposed_by: row.key_id,
    client: content?.client ?? null,
    expires_at: row.expires_at.toISOString(),
    decided_by: decided,
    decided_at: row.decided_at?.toISOString() ?? null,
    refusal: row.refusal_code === null ? null : { code: row.refusal_code, message: row.refusal_message! },
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
