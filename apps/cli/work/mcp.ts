import { isProposable } from '#http/operation.js';
import { routeTable } from '#http/operations/route-table.js';
import type { Json } from '#kernel/json.js';
import { directOperationsOf, type McpPolicyCommand } from '#mcp/policy/mcp-policy.js';
import { ChangeMcpPolicy } from '#mcp/policy/mcp-policy.api.js';
import { RESOURCE_MODULES } from '#composition/modules.js';
import type { Executor } from '#projections/projection.js';
import type { Call, Outcome } from '../declaration.js';
import { withInstallation } from '../installation.js';
import { sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from '../find-named.js';

/** An operation that AI clients can ask for and that writes. */
interface ListedOperation {
  readonly operation: string;
  /** Null where this version of the service has no tool for it. */
  readonly tool: string | null;
  readonly disposition: 'approval_required' | 'direct';
  readonly allowed_at: string | null;
  readonly allowed_by: { readonly type: string; readonly id: string } | null;
}

/** `workforce mcp list`. */
export function listPolicy({ options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const organisation = await requireOrganisation(pool, options['organisation'] as string);
    return outcomeOf(await listed(pool, organisation.id));
  });
}

/** `workforce mcp allow` and `withdraw`: for one operation or several; if one is refused, none changes. */
export function changePolicy({ arguments: given, options }: Call, type: McpPolicyCommand['type']): Promise<Outcome> {
  // Commander hands over an argument that may be repeated as one list.
  const operations = given[0] as unknown as readonly string[];
  return withInstallation(async (installation) => {
    const { pool } = installation;
    const organisation = await requireOrganisation(pool, options['organisation'] as string);
    const command = { type, operations, proposable: [...toolsByOperation().keys()] };
    await sendAsOperator(installation, organisation, (context) => new ChangeMcpPolicy(context, command));
    return outcomeOf(await listed(pool, organisation.id));
  });
}

/** The tool of each operation that tools propose, in the order of the routes. */
function toolsByOperation(): ReadonlyMap<string, string> {
  const operations = routeTable(RESOURCE_MODULES).map(({ operation }) => operation);
  return new Map(operations.filter(isProposable).map(({ operationId, tools }) => [operationId, tools[0]!.name]));
}

async function listed(executor: Executor, organisationId: string): Promise<readonly ListedOperation[]> {
  const tools = toolsByOperation();
  const allowed = new Map((await directOperationsOf(executor, organisationId)).map((one) => [one.operation, one]));
  return [...new Set([...tools.keys(), ...allowed.keys()])].map((operation) => {
    const permission = allowed.get(operation) ?? null;
    return {
      operation,
      tool: tools.get(operation) ?? null,
      disposition: permission === null ? 'approval_required' : 'direct',
      allowed_at: permission?.allowed_at ?? null,
      allowed_by: permission?.allowed_by ?? null,
    };
  });
}

function outcomeOf(operations: readonly ListedOperation[]): Outcome {
  const rows = operations.map(({ operation, tool, disposition, allowed_at: at, allowed_by: by }) => [
    operation,
    tool ?? '',
    disposition === 'direct' ? 'at once' : 'once a person approves',
    at ?? '',
    by?.id ?? '',
  ]);
  return {
    json: { operations: operations as unknown as Json },
    text: textTable(['OPERATION', 'TOOL', 'IS WRITTEN', 'ALLOWED', 'BY'], rows),
  };
}
