import { type Command, Option } from 'commander';
import { TIME_OFF_STATUSES } from '#kernel/time-off-statuses.js';
import { action } from '../command.js';
import { LIMIT_OPTION, ofOrganisation } from '../options.js';

const STEPS = {
  approve: 'approve pending time off',
  reject: 'reject pending time off permanently',
  cancel: 'cancel pending or approved time off permanently',
} as const;

/** `workforce time-off …`: an administrator's decisions on requests; `workforce time-off-balances …`. */
export function register(program: Command): void {
  const group = program.command('time-off').description('list, approve, reject and cancel the time off of people');
  const list = ofOrganisation(group.command('list').description('list time off in the order of its first days'))
    .option('--person <person>', 'only of this person: id, work e-mail or staff id')
    .option('--from <date>', 'only what touches the days from here on, YYYY-MM-DD')
    .option('--to <date>', 'only what touches the days up to here, YYYY-MM-DD')
    .addOption(new Option('--status <status>', 'only of this status').choices(TIME_OFF_STATUSES))
    .option(...LIMIT_OPTION);
  action(list, async (call) => (await work()).listRecords(call));
  action(
    ofOrganisation(
      group
        .command('show')
        .argument('<record>', 'id of the time-off record')
        .description('show a record with its days'),
    ),
    async (call) => (await work()).showRecord(call),
  );
  for (const [step, description] of Object.entries(STEPS)) {
    const command = group
      .command(step)
      .argument('<record>', 'id of the time-off record')
      .description(description)
      .requiredOption('--organisation <organisation>', 'id or subdomain');
    action(command, async (call) => (await work()).stepRecord(call, step as keyof typeof STEPS));
  }
  const balances = program.command('time-off-balances').description('show the time off that people have left');
  const show = ofOrganisation(balances.command('show').argument('<person>', 'id, work e-mail or staff id'))
    .description('show what a person has left in each category that deducts from a balance')
    .option('--as-of <date>', 'as of the end of this day, YYYY-MM-DD (default: today)');
  action(show, async (call) => (await work()).showBalances(call));
}

function work(): Promise<typeof import('../work/time-off.js')> {
  return import('../work/time-off.js');
}
