import { RESOURCE_MODULES } from '#composition/modules.js';
import { isProposable } from '#http/operation.js';
import { routeTable } from '#http/operations/route-table.js';
import { directOperationsOf, type McpPolicyCommand } from '#mcp/policy/mcp-policy.js';
import { ChangeMcpPolicy } from '#mcp/policy/mcp-policy.api.js';
import type { Executor } from '#projections/projection.js';
import { command, type Entry } from '../command.js';
import type { Outcome } from '../declaration.js';
import { ORGANISATION, repeated, required } from '../options.js';
import { listOf } from '../text-table.js';

/** `workforce mcp …`: the operations that AI clients of an organisation may run without approval. */
export const commands = {
  list: command({
    description: 'list what AI clients can write, and whether a person has to approve it',
    options: { organisation: ORGANISATION },
    run: ({ organisation }, { pool }) => listPolicy(pool, organisation.id),
  }),
  allow: change(
    'allow',
    'let AI clients run operations at once that they would propose; no person approves them any more',
  ),
  withdraw: change('withdraw', 'revoke that, so that AI clients propose the operations again'),
};

/** For one operation or several; if one is refused, none changes. */
function change(type: McpPolicyCommand['type'], description: string): Entry {
  return command({
    description,
    arguments: { operation: required(repeated('', 'ids of operations, as workforce mcp list shows them')) },
    options: { organisation: ORGANISATION },
    run: async ({ operation: operations, organisation }, { pool, send }) => {
      const change = { type, operations, proposable: [...toolsByOperation().keys()] };
      await send((context) => new ChangeMcpPolicy(context, change));
      return listPolicy(pool, organisation.id);
    },
  });
}

/** The tool of each operation that tools propose, in the order of the routes. */
function toolsByOperation(): ReadonlyMap<string, string> {
  const operations = routeTable(RESOURCE_MODULES).map(({ operation }) => operation);
  return new Map(operations.filter(isProposable).map(({ operationId, tools }) => [operationId, tools[0]!.name]));
}

async function listPolicy(executor: Executor, organisationId: string): Promise<Outcome> {
  const tools = toolsByOperation();
  const allowed = new Map((await directOperationsOf(executor, organisationId)).map((one) => [one.operation, one]));
  const listed = [...new Set([...tools.keys(), ...allowed.keys()])].map((operation) => {
    const permission = allowed.get(operation);
    return {
      operation,
      // Null if this version of the service has no tool for it.
      tool: tools.get(operation) ?? null,
      disposition: permission === undefined ? 'approval_required' : 'direct',
      allowed_at: permission?.allowed_at ?? null,
      allowed_by: permission?.allowed_by ?? null,
    };
  });
  return listOf('operations', listed, {
    OPERATION: 'operation',
    TOOL: 'tool',
    'IS WRITTEN': ({ disposition }) => (disposition === 'direct' ? 'at once' : 'once a person approves'),
    ALLOWED: 'allowed_at',
    BY: ({ allowed_by: by }) => by?.id,
  });
}
