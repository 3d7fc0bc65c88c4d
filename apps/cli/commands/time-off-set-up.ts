import { type Command, Option } from 'commander';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

const YES_OR_NO = ['yes', 'no'];
const METHODS = ['fixed_yearly', 'monthly', 'worked_time'];

/** `workforce time-off-categories …` and `workforce time-off-settings …`: what time off is calculated from. */
export function register(program: Command): void {
  registerCategories(program.command('time-off-categories').description('keep the kinds of time off of an organisation'));
  registerSettings(program.command('time-off-settings').description('set how time off is calculated in an organisation'));
}

function registerCategories(group: Command): void {
  const list = ofOrganisation(group.command('list').description('list all categories, the archived ones included'));
  action(list, async (call) => (await work()).listCategories(call));
  const create = ofOrganisation(group.command('create').description('create a category')).requiredOption(
    '--label <label>',
    'what it is called',
  );
  action(withFields(create), async (call) => (await work()).createCategory(call));
  const update = ofOrganisation(
    group.command('update').argument('<category>', 'id or label of the category').description('change a category'),
  );
  action(withFields(update.option('--label <label>', 'what it is called')), async (call) => (await work()).updateCategory(call));
  const archive = ofOrganisation(
    group.command('archive').argument('<category>', 'id or label of the category').description('let nothing new have a category, for good'),
  );
  action(archive, async (call) => (await work()).archiveCategory(call));
}

function registerSettings(group: Command): void {
  const show = ofOrganisation(group.command('show').description('show the settings in force'));
  action(show, async (call) => (await work()).showSettings(call));
  const set = ofOrganisation(group.command('set').description('change settings'))
    .option('--leave-year-start <day>', 'first day of the leave year as MM-DD')
    .addOption(new Option('--accrual-method <method>', 'how an allowance is earned').choices(METHODS))
    .option('--accrual-rounding-minutes <minutes>', 'what accrued is rounded to a multiple of so many minutes')
    .option('--carry-over-max-minutes <minutes>', 'what may go over into the next leave year at most')
    .option('--carry-over-expires-after-days <days>', 'after how many days of the leave year that expires; empty for never')
    .addOption(new Option('--pending-counts <yes|no>', 'whether pending requests reduce what is available').choices(YES_OR_NO))
    .option('--holiday-region <code>', 'ISO 3166-1 or 3166-2, such as GB-ENG; empty for the country of the organisation');
  action(set, async (call) => (await work()).setSettings(call));
}

function withFields(command: Command): Command {
  const yesOrNo = (flag: string, description: string): Option => new Option(`${flag} <yes|no>`, description).choices(YES_OR_NO);
  return command
    .option('--code <code>', 'its short name; empty for none')
    .option('--colour <colour>', '#rrggbb; empty for none')
    .addOption(yesOrNo('--is-standard', 'whether its records may not overlap other standard time off'))
    .addOption(yesOrNo('--paid', 'whether it is paid'))
    .addOption(yesOrNo('--requires-approval', 'whether a new record waits for approval'))
    .addOption(new Option('--unit <unit>', 'what people count it in').choices(['days', 'hours']))
    .addOption(yesOrNo('--deducts-balance', 'whether its records use up a balance'))
    .addOption(yesOrNo('--counts-public-holidays', 'whether a public holiday inside a record uses up minutes'))
    .option('--annual-allowance-minutes <minutes>', 'for a whole leave year; empty for none kept')
    .option('--negative-balance-minutes <minutes>', 'how far below zero the balance may go; empty for no limit');
}

function work(): Promise<typeof import('../work/time-off-set-up.js')> {
  return import('../work/time-off-set-up.js');
}
