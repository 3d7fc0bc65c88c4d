import type { Command } from 'commander';
import { action } from '../command.js';

/** `workforce backup FILE` and `workforce restore FILE`. */
export function register(program: Command): void {
  const backup = program
    .command('backup')
    .argument('<file>', 'file to write; it must not exist yet')
    .description('write everything to one file, as a snapshot of one moment, while reads and writes continue');
  action(backup, async (call) => (await import('../work/backup/backup.js')).backUp(call));
  const restore = program
    .command('restore')
    .argument('<file>', 'a file that "workforce backup" wrote')
    .description('restore a backup into an empty database, repeat the erasures made since, and verify the result')
    .option(
      '--erasures <file>',
      'list of erasures made since the backup: a file that "workforce people erasures --export" wrote',
    );
  action(restore, async (call) => (await import('../work/backup/restore.js')).restore(call));
}
