import { ownCommand } from '../command.js';
import { argument, text } from '../options.js';

/** `workforce backup FILE`. */
export const backup = ownCommand({
  description: 'write everything to one file, as a snapshot of one moment, while reads and writes continue',
  arguments: { file: argument('file to write; it must not exist yet') },
  run: async ({ file }, json) => (await import('../work/backup/backup.js')).backUp(file, json),
});

/** `workforce restore FILE`. */
export const restore = ownCommand({
  description: 'restore a backup into an empty database, repeat the erasures made since, and verify the result',
  arguments: { file: argument('a file that "workforce backup" wrote') },
  options: {
    erasures: text(
      '<file>',
      'list of erasures made since the backup: a file that "workforce people erasures --export" wrote',
    ),
  },
  run: async ({ file, erasures }, json) => (await import('../work/backup/restore.js')).restore(file, erasures, json),
});
