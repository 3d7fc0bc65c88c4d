import { allOf, raw, sql } from '#database/sql.js';
import type { Migration } from '#database/migrations.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import type { CreationPlace } from '#http/pages.js';
import type { Executor } from '#projections/projection.js';
import { defineTable, type Stored } from '#projections/table.js';
import { type Decider, type ProposalStatus, writeProposalAggregate } from './write-proposal.decider.js';

interface Columns {
  readonly operation: string;
  readonly status: ProposalStatus;
  readonly key_id: string;
  readonly environment: KeyEnvironment;
  readonly person_id: string;
  readonly entity_tag: string | null;
  readonly expires_at: Date;
  /** Sealed with the person's key, as in the event. */
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

/** Write proposals. What is sealed stays sealed: it is opened when it is read, while the person has a key. */
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

/** Which proposals a list shows, and where its page begins. */
export interface ProposalPage {
  readonly organisationId: string;
  /** The status as it is shown: a pending proposal whose time is over is `expired`. Null for all. */
  readonly status: ProposalStatus | null;
  readonly now: Date;
  /** Only proposals of these operations, or of this key. Null for all proposals. */
  readonly visible: { readonly operations: readonly string[]; readonly keyId: string } | null;
  readonly after: CreationPlace | null;
  /** Rows to fetch. */
  readonly count: number;
}

/** A page of proposals, in the order of creation. */
export async function listWriteProposals(executor: Executor, page: ProposalPage): Promise<readonly WriteProposalRow[]> {
  const { organisationId, status, now, visible, after, count } = page;
  const conditions = [sql`organisation_id = ${organisationId}`];
  if (status !== null)
    conditions.push(sql`case when status = 'pending' and expires_at <= ${now}::timestamptz then 'expired' else status end = ${status}`);
  if (visible !== null) conditions.push(sql`(operation = any(${visible.operations}::text[]) or key_id = ${visible.keyId})`);
  if (after !== null) conditions.push(sql`(created_at, id) > (${after.createdAt}::timestamptz, ${after.id})`);
  const columns = raw(writeProposalTable.selectList());
  const { rows } = await executor.query<WriteProposalRow>(
    sql`select ${columns} from write_proposals where ${allOf(conditions)} order by created_at, id limit ${count}`,
  );
  return rows;
}

/** A proposal that somebody has to carry on: its write has not ended, or its time is over. */
export interface OpenProposal {
  readonly organisation_id: string;
  readonly id: string;
  readonly status: 'pending' | 'approved';
}

/** Proposals of an environment whose approved write has not ended, or whose time is over: the oldest first, at most 100. */
export async function openProposals(executor: Executor, environment: KeyEnvironment, now: Date): Promise<readonly OpenProposal[]> {
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
 * A query of the moment, in milliseconds since 1970, from when {@link openProposals} of an environment has something; null where nothing
 * is open. It is 0 where an approved write has not ended.
 */
export function nextOpenProposal(environment: KeyEnvironment): string {
  return `select case when bool_or(status = 'approved') then 0 else extract(epoch from min(expires_at)) * 1000 end
            from write_proposals where environment = '${environment}' and status in ('pending', 'approved')`;
}
