import type { Command } from 'commander';
import { action } from '../command.js';

/** `workforce projections …`: the read tables and their progress. */
export function register(program: Command): void {
  const group = program.command('projections').description('show the progress of projections, and rebuild read tables');
  action(group.command('status').description('show the progress of each projection'), async () =>
    (await work()).showStatus(),
  );
  action(
    group
      .command('rebuild')
      .argument('[names...]', 'projections to rebuild (default: all)')
      .option(
        '--verify',
        'compare the rebuilt tables with the tables in use and report rows that differ; swap nothing in',
      )
      .option('--abandon', 'delete the tables of an interrupted rebuild, and build nothing')
      .description('rebuild read tables from the events and swap them in while reads and writes continue'),
    async (call) => (await work()).rebuildProjections(call),
  );
}

function work(): Promise<typeof import('../work/projections.js')> {
  return import('../work/projections.js');
}
