import type { Command } from 'commander';
import { action } from '../command.js';

/** `workforce projections …`: the read tables, and how far they are. */
export function register(program: Command): void {
  const group = program.command('projections').description('watch and rebuild the read tables');
  action(group.command('status').description('show how far each projection has handled the events'), async () =>
    (await work()).showStatus(),
  );
  action(
    group
      .command('rebuild')
      .argument('[names...]', 'projections to rebuild; all where none is named')
      .option('--verify', 'compare what was built with the tables in use, name the rows that differ, and put nothing in place')
      .option('--abandon', 'throw away what a rebuild that broke off has left, and build nothing')
      .description('rebuild read tables from the events and swap them in while reads and writes continue'),
    async (call) => (await work()).rebuildProjections(call),
  );
}

function work(): Promise<typeof import('../work/projections.js')> {
  return import('../work/projections.js');
}
