import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { execute } from '#commands/execute.js';
import { ResourceServices } from '#commands/resource-services.js';
import { defineResource } from '#commands/resource.js';
import type { WritingServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import {
  decideMcpPolicy,
  MCP_POLICIES_MIGRATION,
  MCP_POLICY_ENTITY,
  mcpPolicyAggregate,
  type McpPolicyCommand,
  mcpPolicyTable,
} from './mcp-policy.js';

/**
 * Allows operations to run directly in the context's organisation, or revokes that: it takes effect in every
 * process within a second. Throws `RejectedError` for an operation that no tool proposes; nothing changes
 * then.
 */
export function commandMcpPolicy(
  services: WritingServices,
  context: CommandContext,
  command: McpPolicyCommand,
): Promise<void> {
  return commit(services, context, async (within) => {
    await execute(services, within, mcpPolicyAggregate, MCP_POLICY_ENTITY, {
      part: command.type,
      decide: (state) => decideMcpPolicy(command, state),
    });
    return () => undefined;
  });
}

export class ChangeMcpPolicy extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly change: McpPolicyCommand,
  ) {
    super();
  }
}

@CommandHandler(ChangeMcpPolicy)
class ChangeMcpPolicyHandler implements ICommandHandler<ChangeMcpPolicy> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, change }: ChangeMcpPolicy): Promise<void> {
    return commandMcpPolicy(this.services, context, change);
  }
}

/** The operations that AI clients may run without approval, by organisation. */
export const mcpPolicyResource = defineResource({
  area: 'integration',
  tables: [mcpPolicyTable],
  migrations: [MCP_POLICIES_MIGRATION],
  handlers: [ChangeMcpPolicyHandler],
});
