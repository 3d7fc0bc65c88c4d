import { type Command, Option } from 'commander';
import { action } from '../command.js';
import { ofOrganisation } from '../options.js';

const YES_OR_NO = ['yes', 'no'];
const METHODS = ['fixed_yearly', 'monthly', 'worked_time'];

/**
 * `workforce time-off-categories …`, `time-off-settings …` and `public-holidays …`: kinds of time off, and
 * how it is calculated.
 */
export function register(program: Command): void {
  registerCategories(
    program.command('time-off-categories').description('manage the kinds of time off of an organisation'),
  );
  registerSettings(
    program.command('time-off-settings').description('show and set how an organisation calculates time off'),
  );
  registerHolidays(
    program.command('public-holidays').description("show an organisation's public holidays, and add and remove days"),
  );
}

function registerHolidays(group: Command): void {
  const list = ofOrganisation(group.command('list').description('list the holidays of a year'))
    .option('--year <year>', 'the year; this one by default')
    .option('--all', 'also days that are working days: other kinds, and removed days');
  action(list, async (call) => (await work()).listHolidays(call));
  const add = ofOrganisation(
    group.command('add').argument('<date>', 'the day as YYYY-MM-DD').description('make a day, or a half of it, free'),
  )
    .requiredOption('--name <name>', 'its name')
    .addOption(
      new Option('--day-part <part>', 'the part that is free')
        .choices(['full', 'morning', 'afternoon'])
        .default('full'),
    );
  action(add, async (call) => (await work()).addHoliday(call));
  const remove = ofOrganisation(
    group.command('remove').argument('<date>', 'the day as YYYY-MM-DD').description('make a day a working day'),
  );
  action(remove, async (call) => (await work()).removeHoliday(call));
  const restore = ofOrganisation(
    group
      .command('restore')
      .argument('<date>', 'the day as YYYY-MM-DD')
      .description('take back what was said of a day: the calendar of the region holds'),
  );
  action(restore, async (call) => (await work()).restoreHoliday(call));
}

function registerCategories(group: Command): void {
  const list = ofOrganisation(group.command('list').description('list all categories, including archived ones'));
  action(list, async (call) => (await work()).listCategories(call));
  const create = ofOrganisation(group.command('create').description('create a category')).requiredOption(
    '--label <label>',
    'its name',
  );
  action(withFields(create), async (call) => (await work()).createCategory(call));
  const update = ofOrganisation(
    group.command('update').argument('<category>', 'id or label of the category').description('change a category'),
  );
  action(withFields(update.option('--label <label>', 'its name')), async (call) => (await work()).updateCategory(call));
  const archive = ofOrganisation(
    group
      .command('archive')
      .argument('<category>', 'id or label of the category')
      .description('archive a category permanently: no new record can use it'),
  );
  action(archive, async (call) => (await work()).archiveCategory(call));
}

function registerSettings(group: Command): void {
  const show = ofOrganisation(group.command('show').description('show the settings in force'));
  action(show, async (call) => (await work()).showSettings(call));
  const set = ofOrganisation(group.command('update').alias('set').description('change settings'))
    .option('--leave-year-start <day>', 'first day of the leave year as MM-DD')
    .addOption(new Option('--accrual-method <method>', 'how an allowance is earned').choices(METHODS))
    .option('--accrual-rounding-minutes <minutes>', 'accrued time is rounded to a multiple of this many minutes')
    .option('--carry-over-max-minutes <minutes>', 'maximum carry-over into the next leave year')
    .option(
      '--carry-over-expires-after-days <days>',
      'number of days of the leave year after which the carry-over expires; empty for never',
    )
    .addOption(
      new Option('--pending-counts <yes|no>', 'whether pending requests reduce the available balance').choices(
        YES_OR_NO,
      ),
    )
    .option(
      '--holiday-region <code>',
      'ISO 3166-1 or 3166-2, such as GB-ENG; empty for the country of the organisation',
    );
  action(set, async (call) => (await work()).setSettings(call));
}

function withFields(command: Command): Command {
  const yesOrNo = (flag: string, description: string): Option =>
    new Option(`${flag} <yes|no>`, description).choices(YES_OR_NO);
  return command
    .option('--code <code>', 'its short name; empty for none')
    .option('--colour <colour>', '#rrggbb; empty for none')
    .addOption(yesOrNo('--is-standard', 'whether its records may not overlap other standard time off'))
    .addOption(yesOrNo('--paid', 'whether it is paid'))
    .addOption(yesOrNo('--requires-approval', 'whether a new record waits for approval'))
    .addOption(new Option('--unit <unit>', 'unit in which people count it').choices(['days', 'hours']))
    .addOption(yesOrNo('--deducts-balance', 'whether its records use up a balance'))
    .addOption(yesOrNo('--counts-public-holidays', 'whether a public holiday within a record uses up minutes'))
    .option('--annual-allowance-minutes <minutes>', 'allowance for a whole leave year; empty for none')
    .option('--negative-balance-minutes <minutes>', 'how far below zero the balance may go; empty for no limit');
}

function work(): Promise<typeof import('../work/time-off-set-up.js')> {
  return import('../work/time-off-set-up.js');
}
