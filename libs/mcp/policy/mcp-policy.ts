import type { Migration } from '#database/migrations.js';
import type { Actor } from '#event-store/event-store.js';
import { bumpAuthorisationVersion, FORGET_AUTHORISATIONS } from '#database/authorisation-version.js';
import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { invalid } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import type { Executor, Stream } from '#projections/projection.js';
import { defineTable } from '#projections/table.js';

// These names and fields are the storage format: add new ones, never rename or remove.
export type McpPolicyEvent =
  /** From this event on, the operation's tool writes at once. */
  | DomainEvent<'DirectRunAllowed', { operation: string }>
  /** From this event on, it proposes again. */
  | DomainEvent<'DirectRunWithdrawn', { operation: string }>;

/** The operations that AI clients may run without approval in an organisation. */
export interface McpPolicyState {
  /** The ids of operations that run directly, in the order in which they were allowed. */
  readonly directOperations: readonly string[];
}

const initialMcpPolicy: McpPolicyState = { directOperations: [] };

/** The state with one more event. */
function evolveMcpPolicy({ directOperations }: McpPolicyState, event: McpPolicyEvent): McpPolicyState {
  const { operation } = event.data;
  const others = directOperations.filter((one) => one !== operation);
  switch (event.type) {
    case 'DirectRunAllowed':
      return { directOperations: [...others, operation] };
    case 'DirectRunWithdrawn':
      return { directOperations: others };
    default:
      return unreachable(event);
  }
}

export interface McpPolicyCommand {
  readonly type: 'allow' | 'withdraw';
  readonly operations: readonly string[];
  /** The ids of operations that tools propose: those that can be allowed in this version of the service. */
  readonly proposable: readonly string[];
}

/**
 * The events of a command, or the reason for its refusal: one event for each operation whose permission
 * changes. If one operation is refused, none changes. A permission of an operation that this version does not
 * propose can still be withdrawn.
 */
export function decideMcpPolicy(
  command: McpPolicyCommand,
  { directOperations }: McpPolicyState,
): Decision<McpPolicyEvent> {
  const { type, proposable } = command;
  const operations = [...new Set(command.operations)];
  const known = type === 'allow' ? proposable : [...proposable, ...directOperations];
  const unknown = operations.find((operation) => !known.includes(operation));
  if (unknown !== undefined) return reject(invalid('operation', notProposed(unknown, proposable)));
  switch (type) {
    case 'allow':
      return accept(
        ...operations
          .filter((operation) => !directOperations.includes(operation))
          .map((operation): McpPolicyEvent => ({ type: 'DirectRunAllowed', data: { operation } })),
      );
    case 'withdraw':
      return accept(
        ...operations
          .filter((operation) => directOperations.includes(operation))
          .map((operation): McpPolicyEvent => ({ type: 'DirectRunWithdrawn', data: { operation } })),
      );
    default:
      return unreachable(type);
  }
}

function notProposed(operation: string, proposable: readonly string[]): string {
  return `no tool proposes ${operation}; the operations that tools propose are ${proposable.join(', ')}`;
}

export const mcpPolicyAggregate = defineAggregate({
  category: 'mcp-policy',
  initial: initialMcpPolicy,
  evolve: evolveMcpPolicy,
});

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

/**
 * The operations that AI clients may run without approval, by organisation. Authentication reads it together
 * with the organisation of a key.
 */
export const mcpPolicyTable = defineTable<Columns>()(mcpPolicyAggregate, {
  name: 'mcp_policies',
  columns: { direct_operations: 'list' },
  row: ({ directOperations }, stream) => ({
    direct_operations: directOperations.map((operation) => permissionIn(stream, operation)),
  }),
  order: 'id',
  afterRebuild: FORGET_AUTHORISATIONS,
});

/** Returns the operations that run directly in an organisation, in the order in which they were allowed. */
export async function directOperationsOf(
  executor: Executor,
  organisationId: string,
): Promise<readonly DirectOperation[]> {
  return (await mcpPolicyTable.find(executor, organisationId, MCP_POLICY_ENTITY))?.direct_operations ?? [];
}

function permissionIn(stream: Stream, operation: string): DirectOperation {
  const { recordedAt, metadata } = stream.findLast(
    ({ type, data }) => type === 'DirectRunAllowed' && data['operation'] === operation,
  )!;
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
