import type { Command } from 'commander';
import { action } from '../command.js';
import { withForce } from '../output-file.js';

/** `workforce events …`: the whole history as a file, from one event store to another. */
export function register(program: Command): void {
  const group = program.command('events').description('move the whole history from one event store to another');
  const output = withForce(group.command('export'))
    .argument('[file]', 'file to write (default: standard output)')
    .description('write every event to a file');
  action(output, async (call) => (await work()).exportEvents(call));
  const input = group
    .command('import')
    .argument('<file>', 'a file that workforce events export wrote')
    .description('record a whole history unchanged in an empty event store');
  action(input, async (call) => (await work()).importEvents(call));
}

function work(): Promise<typeof import('../work/events.js')> {
  return import('../work/events.js');
}
