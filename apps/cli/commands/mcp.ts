import type { Command } from 'commander';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

const CHANGES = {
  allow: 'let AI clients run operations at once that they would propose; no person approves them any more',
  withdraw: 'take that back, so that AI clients propose the operations again',
} as const;

/** `workforce mcp …`: what an organisation lets AI clients do without asking a person. */
export function register(program: Command): void {
  const group = program.command('mcp').description('set what AI clients may write without an approval');
  const list = group
    .command('list')
    .description('list what AI clients can write, and whether a person has to approve it');
  action(ofOrganisation(list), async (call) => (await work()).listPolicy(call));
  for (const [change, description] of Object.entries(CHANGES)) {
    const command = group
      .command(change)
      .argument('<operation...>', 'ids of operations, as workforce mcp list shows them')
      .description(description);
    action(ofOrganisation(command), async (call) => (await work()).changePolicy(call, change as keyof typeof CHANGES));
  }
}

function work(): Promise<typeof import('../work/mcp.js')> {
  return import('../work/mcp.js');
}
