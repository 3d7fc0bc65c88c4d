import type { Command } from 'commander';
import { action } from '../command.js';

/** `workforce timeline PERSON`: a person's employment in two times. */
export function register(program: Command): void {
  const command = program
    .command('timeline')
    .argument('<person>', 'id, work e-mail or staff id')
    .description("show a person's employment over time, and every fact that was recorded of it")
    .option('--organisation <organisation>', 'id or subdomain; needed where several organisations have such a person')
    .option('--as-of <date>', 'only what was in force on this day')
    .option('--known-at <date-time>', 'as it was recorded at this moment');
  action(command, async (call) => (await import('../work/timeline.js')).showTimeline(call));
}
