import { ownCommand } from '../command.js';
import { argument, text } from '../options.js';
import { backUp } from '../work/backup/backup.js';
import { restore } from '../work/backup/restore.js';

const ERASURES = text(
  '<file>',
  'list of erasures made since the backup: a file that "workforce people erasures --export" wrote',
);

export const commands = {
  backup: ownCommand({
    arguments: { file: argument('file to write; it must not exist yet') },
    run: ({ file }, json) => backUp(file, json),
  }),
  restore: ownCommand({
    arguments: { file: argument('a file that "workforce backup" wrote') },
    options: { erasures: ERASURES },
    run: ({ file, erasures }, json) => restore(file, erasures, json),
  }),
};
