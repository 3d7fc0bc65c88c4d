import type { Command } from 'commander';
import { action } from '../command.js';

/** `workforce backup FILE` and `workforce restore FILE`. */
export function register(program: Command): void {
  const backup = program
    .command('backup')
    .argument('<file>', 'where to; there must be no such file yet')
    .description('write everything into one file, as it is at one moment, while reads and writes go on');
  action(backup, async (call) => (await import('../work/backup/backup.js')).backUp(call));
  const restore = program
    .command('restore')
    .argument('<file>', 'what "workforce backup" wrote')
    .description('restore a backup into an empty database, erase again who was erased since, and verify all of it')
    .option('--erasures <file>', 'what "workforce people erasures --export" wrote: who was erased since the backup');
  action(restore, async (call) => (await import('../work/backup/restore.js')).restore(call));
}
