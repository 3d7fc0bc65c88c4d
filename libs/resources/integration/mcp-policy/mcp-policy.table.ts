import type { Migration } from '#database/migrations.js';
import type { Actor } from '#event-store/event-store.js';
import { bumpAuthorisationVersion, FORGET_AUTHORISATIONS } from '#http/keys/authorisation-version.js';
import type { Executor, Stream } from '#projections/projection.js';
import { defineTable } from '#projections/table.js';
import { mcpPolicyAggregate } from './mcp-policy.decider.js';

/** The stream of an organisation's policy: `mcp-policy-{organisation}.policy`. */
export const MCP_POLICY_ENTITY = 'policy';

/** An operation that runs directly. */
export type DirectOperation = {
  readonly operation: string;
  /** ISO 8601 in UTC. */
  readonly allowed_at: string;
  readonly allowed_by: Actor;
};

type Columns = { readonly direct_operations: readonly DirectOperation[] };

/** What organisations let AI clients do without asking a person. Authentication reads it together with the organisation of a key. */
export const mcpPolicyTable = defineTable<Columns>()(mcpPolicyAggregate, {
  name: 'mcp_policies',
  columns: { direct_operations: 'list' },
  row: ({ directOperations }, stream) => ({ direct_operations: directOperations.map((operation) => permissionIn(stream, operation)) }),
  order: 'id',
  afterRebuild: FORGET_AUTHORISATIONS,
});

/** Returns the operations that run directly in an organisation, in the order in which they were allowed. */
export async function directOperationsOf(executor: Executor, organisationId: string): Promise<readonly DirectOperation[]> {
  return (await mcpPolicyTable.find(executor, organisationId, MCP_POLICY_ENTITY))?.direct_operations ?? [];
}

function permissionIn(stream: Stream, operation: string): DirectOperation {
  const { recordedAt, metadata } = stream.findLast(({ type, data }) => type === 'DirectRunAllowed' && data['operation'] === operation)!;
  return { operation, allowed_at: recordedAt, allowed_by: { type: metadata.actor.type, id: metadata.actor.id } };
}

export const MCP_POLICIES_MIGRATION: Migration = {
  version: 3,
  name: 'policies of AI clients',
  sql: `
create table mcp_policies (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  direct_operations jsonb not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
${bumpAuthorisationVersion('mcp_policies')}
`,
};
