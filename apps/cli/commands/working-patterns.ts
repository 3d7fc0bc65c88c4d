import type { Command } from 'commander';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

/** `workforce working-patterns …`: the cycles of working days of an organisation. */
export function register(program: Command): void {
  const group = program.command('working-patterns').description('manage the working patterns of an organisation');
  action(
    ofOrganisation(group.command('list').description('list all patterns, including archived ones')),
    async (call) => (await work()).listPatterns(call),
  );
  action(ofPattern(group.command('show').description('show a pattern with its days')), async (call) =>
    (await work()).showPattern(call),
  );
  const create = ofOrganisation(
    group
      .command('create')
      .description('create a pattern')
      .requiredOption('--label <label>', 'its name')
      .requiredOption('--days <days>', DAYS),
  );
  action(withCycle(create), async (call) => (await work()).createPattern(call));
  const update = ofPattern(group.command('update').description('change a pattern'))
    .option('--label <label>', 'its name')
    .option('--days <days>', `${DAYS}; replaces all days`);
  action(withCycle(update), async (call) => (await work()).updatePattern(call));
  action(
    ofPattern(group.command('archive').description('archive a pattern permanently: people who have it keep it')),
    async (call) => (await work()).archivePattern(call),
  );
}

const DAYS =
  'working days with minutes before and after noon, such as mon-thu=240+210,fri=240+0; 2.mon is a Monday of the second week';

function ofPattern(command: Command): Command {
  return ofOrganisation(command.argument('<pattern>', 'id or label of the pattern'));
}

function withCycle(command: Command): Command {
  return command
    .option('--cycle-weeks <weeks>', 'number of weeks after which the pattern repeats, 1 to 8 (of a new one: 1)')
    .option('--anchor-date <date>', 'a Monday with which a first week of the cycle begins (of a new one: 2024-01-01)');
}

function work(): Promise<typeof import('../work/working-patterns.js')> {
  return import('../work/working-patterns.js');
}
