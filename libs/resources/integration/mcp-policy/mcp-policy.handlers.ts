import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import { ResourceServices } from '../../services/resource-services.js';
import { commandMcpPolicy } from './mcp-policy.commands.js';
import type { McpPolicyCommand } from './mcp-policy.decider.js';

export class ChangeMcpPolicy extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly change: McpPolicyCommand,
  ) {
    super();
  }
}

@CommandHandler(ChangeMcpPolicy)
export class ChangeMcpPolicyHandler implements ICommandHandler<ChangeMcpPolicy> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, change }: ChangeMcpPolicy): Promise<void> {
    return commandMcpPolicy(this.services, context, change);
  }
}
