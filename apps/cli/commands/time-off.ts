import type { Command } from 'commander';
import { action } from '../command.js';

const STEPS = {
  approve: 'approve pending time off',
  reject: 'reject pending time off permanently',
  cancel: 'cancel pending or approved time off permanently',
} as const;

/** `workforce time-off …`: an administrator's decisions on requests. */
export function register(program: Command): void {
  const group = program.command('time-off').description('approve, reject and cancel the time off of people');
  for (const [step, description] of Object.entries(STEPS)) {
    const command = group
      .command(step)
      .argument('<record>', 'id of the time-off record')
      .description(description)
      .requiredOption('--organisation <organisation>', 'id or subdomain');
    action(command, async (call) => (await work()).stepRecord(call, step as keyof typeof STEPS));
  }
}

function work(): Promise<typeof import('../work/time-off.js')> {
  return import('../work/time-off.js');
}
