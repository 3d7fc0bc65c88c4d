import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import type { WritingServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { decideMcpPolicy, mcpPolicyAggregate, type McpPolicyCommand } from './mcp-policy.decider.js';
import { MCP_POLICY_ENTITY } from './mcp-policy.table.js';

/**
 * Lets operations run directly in the context's organisation, or takes that back: every process obeys within a second. Throws
 * `RejectedError` for an operation that no tool proposes; nothing changes then.
 */
export function commandMcpPolicy(services: WritingServices, context: CommandContext, command: McpPolicyCommand): Promise<void> {
  return commit(services, context, async (within) => {
    await execute(services, within, mcpPolicyAggregate, MCP_POLICY_ENTITY, {
      part: command.type,
      decide: (state) => decideMcpPolicy(command, state),
    });
    return () => undefined;
  });
}
