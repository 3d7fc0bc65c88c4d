import type { Migration } from '#database/migrations.js';
import { allOf, raw, sql } from '#database/sql.js';
import type { CreationCursor } from '#http/pages.js';
import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { conflict, notFound, type Rejection } from '#kernel/rejection.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import { unreachable } from '#kernel/unreachable.js';
import type { Executor } from '#projections/projection.js';
import { defineTable, type Stored } from '#projections/table.js';

/** The time in which a proposal can be decided, from its creation on. */
export const PROPOSAL_LIFETIME_MILLISECONDS = 72 * 3_600_000;

/** The content of a key's proposed write. */
export type ProposedWrite = {
  /** The id of the operation. */
  readonly operation: string;
  readonly key_id: string;
  readonly environment: KeyEnvironment;
  /** The person concerned, whose key encrypts the content. */
  readonly person_id: string;
  /** The tag of the resource at the dry run; null for a write that changes no existing resource. */
  readonly entity_tag: string | null;
  /** ISO 8601 in UTC. */
  readonly expires_at: string;
  /** Input, values before and after, and the client's name; see `proposal-content.ts`. */
  readonly sealed: string;
};

/** The deciding actor: a key, or an operator on the command line. The names are the storage format. */
export type Decider = { readonly type: 'api_key' | 'user' | 'operator'; readonly id: string };

/** The reason for which an approved write was not made: the error of the operation. */
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

/**
 * `approved`: the write is in progress. `overtaken`: it was approved, but the state had changed, so that
 * nothing was written.
 */
export const PROPOSAL_STATUSES = [
  'pending',
  'approved',
  'applied',
  'overtaken',
  'rejected',
  'cancelled',
  'expired',
] as const;
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
  if (event.type === 'WriteProposed')
    return { status: 'pending', proposed: event.data, decidedBy: null, refusal: null };
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
      /** Whether the decider created the proposing key, was created by it, or acts for the same user. */
      readonly isRelated: boolean;
      /** The time at which the command arrived, ISO 8601 in UTC. */
      readonly now: string;
    }
  | {
      readonly type: 'reject';
      readonly by: Decider;
      /** The time at which the command arrived, ISO 8601 in UTC. */
      readonly now: string;
    }
  | { readonly type: 'cancel'; readonly keyId: string; readonly now: string }
  | { readonly type: 'expire'; readonly now: string }
  | { readonly type: 'note_applied' }
  | { readonly type: 'note_overtaken'; readonly refusal: Refusal };

/**
 * The events of a command, or the reason for its refusal. The proposing key may only withdraw its own
 * proposal, and its creator, or a key that it created, may not approve it: a second person must decide. The
 * outcome of an approved write is recorded once.
 */
export function decideWriteProposal(
  command: WriteProposalCommand,
  state: WriteProposalState,
): Decision<WriteProposalEvent> {
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
      if (state.proposed.key_id !== command.keyId)
        return reject(denied('only the key that proposed a write may withdraw it'));
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

const RELATED = 'the creator of the key that proposed a write, or a key created by it, may not approve it';

type Existing = Exclude<WriteProposalState, { readonly status: 'none' }>;

function decided(
  state: Existing,
  { by, now }: { readonly by: Decider; readonly now: string },
  event: WriteProposalEvent,
): Decision<WriteProposalEvent> {
  if (by.type === 'api_key' && by.id === state.proposed.key_id)
    return reject(denied('the key that proposed a write may not decide it'));
  return undecidable(state, now) ?? accept(event);
}

/** The refusal of a decision about a proposal that is not pending; null if it is. */
function undecidable(state: Existing, now: string): Decision<WriteProposalEvent> | null {
  if (state.status !== 'pending') return reject(conflict('status', `the proposal is ${state.status}`));
  return now >= state.proposed.expires_at ? reject(conflict('status', 'the proposal has expired')) : null;
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

interface Columns {
  readonly operation: string;
  readonly status: ProposalStatus;
  readonly key_id: string;
  readonly environment: KeyEnvironment;
  readonly person_id: string;
  readonly entity_tag: string | null;
  readonly expires_at: Date;
  /** Encrypted with the person's key, as in the event. */
  readonly sealed: string;
  readonly decided_by_type: Decider['type'] | null;
  readonly decided_by: string | null;
  readonly decided_at: Date | null;
  readonly refusal_code: string | null;
  readonly refusal_message: string | null;
}

/** A row of `write_proposals`. */
export type WriteProposalRow = Stored<Columns>;

const DECISIONS: ReadonlySet<string> = new Set(['WriteProposalApproved', 'WriteProposalRejected']);

/**
 * Write proposals. Encrypted content stays encrypted and is decrypted when it is read, while the person has a
 * key.
 */
export const writeProposalTable = defineTable<Columns>()(writeProposalAggregate, {
  name: 'write_proposals',
  columns: {
    operation: 'value',
    status: 'value',
    key_id: 'value',
    environment: 'value',
    person_id: 'value',
    entity_tag: 'value',
    expires_at: 'time',
    sealed: 'value',
    decided_by_type: 'value',
    decided_by: 'value',
    decided_at: 'time',
    refusal_code: 'value',
    refusal_message: 'value',
  },
  row: ({ status, proposed, decidedBy, refusal }, stream) => ({
    ...proposed,
    status,
    decided_by_type: decidedBy?.type ?? null,
    decided_by: decidedBy?.id ?? null,
    decided_at: (stream.find(({ type }) => DECISIONS.has(type))?.recordedAt ?? null) as never,
    refusal_code: refusal?.code ?? null,
    refusal_message: refusal?.message ?? null,
  }),
  order: 'created_at, id',
});

export const WRITE_PROPOSALS_MIGRATION: Migration = {
  version: 2,
  name: 'write proposals',
  sql: `
create table write_proposals (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  operation text not null,
  status text not null,
  key_id text collate "C" not null,
  environment text not null,
  person_id text collate "C" not null,
  entity_tag text,
  expires_at timestamptz(3) not null,
  sealed text not null,
  decided_by_type text,
  decided_by text,
  decided_at timestamptz(3),
  refusal_code text,
  refusal_message text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index write_proposals_in_order on write_proposals (organisation_id, created_at, id);
create index write_proposals_of_person on write_proposals (organisation_id, person_id);
create index write_proposals_open on write_proposals (environment, expires_at) where status in ('pending', 'approved');
`,
};

/** The filter of a list of proposals, and the start of its page. */
export interface ProposalPage {
  readonly organisationId: string;
  /** The effective status: an expired pending proposal is `expired`. Null for all. */
  readonly status: ProposalStatus | null;
  readonly now: Date;
  /** Only proposals of these operations, or of this key. Null for all proposals. */
  readonly visible: { readonly operations: readonly string[]; readonly keyId: string } | null;
  readonly after: CreationCursor | null;
  /** Rows to fetch. */
  readonly count: number;
}

/** A page of proposals, in the order of creation. */
export async function listWriteProposals(executor: Executor, page: ProposalPage): Promise<readonly WriteProposalRow[]> {
  const { organisationId, status, now, visible, after, count } = page;
  const conditions = [sql`organisation_id = ${organisationId}`];
  if (status !== null)
    conditions.push(
      sql`case when status = 'pending' and expires_at <= ${now}::timestamptz then 'expired'
        else status end = ${status}`,
    );
  if (visible !== null)
    conditions.push(sql`(operation = any(${visible.operations}::text[]) or key_id = ${visible.keyId})`);
  if (after !== null) conditions.push(sql`(created_at, id) > (${after.createdAt}::timestamptz, ${after.id})`);
  const columns = raw(writeProposalTable.selectList());
  const { rows } = await executor.query<WriteProposalRow>(
    sql`select ${columns} from write_proposals where ${allOf(conditions)} order by created_at, id limit ${count}`,
  );
  return rows;
}

/** A proposal with work to do: its write is in progress, or it has expired. */
export interface OpenProposal {
  readonly organisation_id: string;
  readonly id: string;
  readonly status: 'pending' | 'approved';
}

/** Proposals of an environment with a write in progress, or expired ones: the oldest first, at most 100. */
export async function openProposals(
  executor: Executor,
  environment: KeyEnvironment,
  now: Date,
): Promise<readonly OpenProposal[]> {
  const { rows } = await executor.query<OpenProposal>({
    name: 'open-write-proposals',
    text: `select organisation_id, id, status from write_proposals
            where environment = $1 and status in ('pending', 'approved') and (status = 'approved' or expires_at <= $2)
            order by expires_at limit 100`,
    values: [environment, now],
  });
  return rows;
}

/**
 * A query of the time, in milliseconds since 1970, from which {@link openProposals} of an environment has
 * results; null if nothing is open. It is 0 if an approved write is in progress.
 */
export function nextOpenProposal(environment: KeyEnvironment): string {
  return `select case when bool_or(status = 'approved') then 0 else extract(epoch from min(expires_at)) * 1000 end
            from write_proposals where environment = '${environment}' and status in ('pending', 'approved')`;
}
