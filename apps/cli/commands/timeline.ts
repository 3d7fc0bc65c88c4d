import type { Command } from 'commander';
import { action } from '../command.js';

/** `workforce timeline PERSON`: a person's employment in valid time and recorded time. */
export function register(program: Command): void {
  const command = program
    .command('timeline')
    .argument('<person>', 'id, work e-mail or staff id')
    .description("show a person's employment over time, and every fact recorded about it")
    .option('--organisation <organisation>', 'id or subdomain; needed if several organisations have a matching person')
    .option('--as-of <date>', 'only the state in force on this day')
    .option('--known-at <date-time>', 'only the facts recorded by this moment');
  action(command, async (call) => (await import('../work/timeline.js')).showTimeline(call));
}
