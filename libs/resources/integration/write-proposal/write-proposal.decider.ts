import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { conflict, notFound, type Rejection } from '#kernel/rejection.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import { unreachable } from '#kernel/unreachable.js';

/** What a key proposes to write. */
export type ProposedWrite = {
  /** The id of the operation. */
  readonly operation: string;
  readonly key_id: string;
  readonly environment: KeyEnvironment;
  /** The person whom the write concerns: the content is sealed with their key. */
  readonly person_id: string;
  /** The tag of the resource at the moment of the dry decision; null for a write that changes no resource. */
  readonly entity_tag: string | null;
  /** ISO 8601 in UTC. */
  readonly expires_at: string;
  /** Input, values before and after, and the client's name; see `proposal-content.ts`. */
  readonly sealed: string;
};

/** Who decides: a key, or an operator on the command line. The names are the storage format. */
export type Decider = { readonly type: 'api_key' | 'user' | 'operator'; readonly id: string };

/** Why nothing was written although it was approved: the error that the operation would have answered with. */
export type Refusal = { readonly code: string; readonly message: string };

// These names and fields are the storage format: add new ones, never rename or remove.
export type WriteProposalEvent =
  | DomainEvent<'WriteProposed', ProposedWrite>
  | DomainEvent<'WriteProposalApproved', { readonly approved_by: Decider }>
  | DomainEvent<'WriteProposalRejected', { readonly rejected_by: Decider }>
  | DomainEvent<'WriteProposalCancelled', Record<string, never>>
  | DomainEvent<'WriteProposalExpired', Record<string, never>>
  | DomainEvent<'WriteProposalApplied', Record<string, never>>
  | DomainEvent<'WriteProposalOvertaken', Refusal>;

/** `approved`: the write has not ended yet. `overtaken`: it was approved, and the world had moved, so that nothing was written. */
export const PROPOSAL_STATUSES = ['pending', 'approved', 'applied', 'overtaken', 'rejected', 'cancelled', 'expired'] as const;
export type ProposalStatus = (typeof PROPOSAL_STATUSES)[number];

export type WriteProposalState =
  | { readonly status: 'none' }
  | {
      readonly status: ProposalStatus;
      readonly proposed: ProposedWrite;
      readonly decidedBy: Decider | null;
      readonly refusal: Refusal | null;
    };

export const initialWriteProposal: WriteProposalState = { status: 'none' };

/** The state with one more event. */
export function evolveWriteProposal(state: WriteProposalState, event: WriteProposalEvent): WriteProposalState {
  if (event.type === 'WriteProposed') return { status: 'pending', proposed: event.data, decidedBy: null, refusal: null };
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'WriteProposalApproved':
      return { ...state, status: 'approved', decidedBy: event.data.approved_by };
    case 'WriteProposalRejected':
      return { ...state, status: 'rejected', decidedBy: event.data.rejected_by };
    case 'WriteProposalCancelled':
      return { ...state, status: 'cancelled' };
    case 'WriteProposalExpired':
      return { ...state, status: 'expired' };
    case 'WriteProposalApplied':
      return { ...state, status: 'applied' };
    case 'WriteProposalOvertaken':
      return { ...state, status: 'overtaken', refusal: event.data };
    default:
      return unreachable(event);
  }
}

export type WriteProposalCommand =
  | { readonly type: 'propose'; readonly proposed: ProposedWrite }
  | {
      readonly type: 'approve';
      readonly by: Decider;
      /** Whether they made the key that proposed, were made by it, or act for the same user. */
      readonly isRelated: boolean;
      /** When the command arrived, ISO 8601 in UTC. */
      readonly now: string;
    }
  | {
      readonly type: 'reject';
      readonly by: Decider;
      /** When the command arrived, ISO 8601 in UTC. */
      readonly now: string;
    }
  | { readonly type: 'cancel'; readonly keyId: string; readonly now: string }
  | { readonly type: 'expire'; readonly now: string }
  | { readonly type: 'note_applied' }
  | { readonly type: 'note_overtaken'; readonly refusal: Refusal };

/**
 * What a command records, or why it is refused. The key that proposed decides nothing of its own proposal but to withdraw it, and who made it, or was
 * made by it, does not approve: a second person has to look. What became of an approved write is noted once.
 */
export function decideWriteProposal(command: WriteProposalCommand, state: WriteProposalState): Decision<WriteProposalEvent> {
  if (command.type === 'propose') {
    if (state.status !== 'none') return reject(conflict('write_proposal_id', 'a proposal with this id exists already'));
    return accept({ type: 'WriteProposed', data: command.proposed });
  }
  if (state.status === 'none') return reject(notFound('write_proposal_id', 'there is no such write proposal'));
  switch (command.type) {
    case 'approve':
      if (command.isRelated) return reject(denied(RELATED));
      return decided(state, command, { type: 'WriteProposalApproved', data: { approved_by: command.by } });
    case 'reject':
      return decided(state, command, { type: 'WriteProposalRejected', data: { rejected_by: command.by } });
    case 'cancel': {
      if (state.proposed.key_id !== command.keyId) return reject(denied('only the key that proposed a write may withdraw it'));
      if (state.status === 'cancelled') return accept();
      return undecidable(state, command.now) ?? accept({ type: 'WriteProposalCancelled', data: {} });
    }
    case 'expire':
      if (state.status !== 'pending' || command.now < state.proposed.expires_at) return accept();
      return accept({ type: 'WriteProposalExpired', data: {} });
    case 'note_applied':
      return state.status === 'approved' ? accept({ type: 'WriteProposalApplied', data: {} }) : accept();
    case 'note_overtaken':
      return state.status === 'approved' ? accept({ type: 'WriteProposalOvertaken', data: command.refusal }) : accept();
    default:
      return unreachable(command);
  }
}

const RELATED = 'who made the key that proposed a write, or was made by it, may not approve it';

type Existing = Exclude<WriteProposalState, { readonly status: 'none' }>;

function decided(
  state: Existing,
  { by, now }: { readonly by: Decider; readonly now: string },
  event: WriteProposalEvent,
): Decision<WriteProposalEvent> {
  if (by.type === 'api_key' && by.id === state.proposed.key_id) return reject(denied('the key that proposed a write may not decide it'));
  return undecidable(state, now) ?? accept(event);
}

/** The refusal of a decision about a proposal that waits for none; null where it waits. */
function undecidable(state: Existing, now: string): Decision<WriteProposalEvent> | null {
  if (state.status !== 'pending') return reject(conflict('status', `the proposal is ${state.status}`));
  return now >= state.proposed.expires_at ? reject(conflict('status', 'the proposal is expired')) : null;
}

function denied(issue: string): Rejection {
  return { kind: 'permission_denied', message: issue, details: [{ field: 'write_proposal_id', issue }] };
}

export const writeProposalAggregate = defineAggregate({
  category: 'write-proposal',
  idKind: 'writeProposal',
  initial: initialWriteProposal,
  evolve: evolveWriteProposal,
});
