import { type Command, Option } from 'commander';
import { PERSON_STATUSES } from '#kernel/person-statuses.js';
import { action } from '../command.js';
import { LIMIT_OPTION } from '../options.js';

/**
 * `workforce people …`: who is there, personal profiles and pictures, which the API cannot change, and the
 * erasure of people.
 */
export function register(program: Command): void {
  const group = program
    .command('people')
    .description('list and show people, manage their personal profiles and pictures, and erase personal data');
  const everybody = group
    .command('list')
    .description('list people in the order in which they were recorded')
    .requiredOption('--organisation <organisation>', 'id or subdomain')
    .addOption(new Option('--status <status>', 'only people of this status').choices(PERSON_STATUSES))
    .option('--department <unit>', 'only people of this unit: id, code or name')
    .option('--search <text>', 'only people whose name, work e-mail or staff id contains the text')
    .option(...LIMIT_OPTION);
  action(everybody, async (call) => (await people()).listPeople(call));
  const show = group
    .command('show')
    .argument('<person>', 'id, work e-mail or staff id')
    .description('show a person as the API does today')
    .option('--organisation <organisation>', 'id or subdomain (default: found from the person)');
  action(show, async (call) => (await people()).showPerson(call));
  const setPersonal = ofPerson(
    group.command('set-personal').description("change a person's personal profile; an empty text clears a field"),
  )
    .option('--middle-names <names>', 'names between the first and the last')
    .option('--date-of-birth <date>', 'YYYY-MM-DD')
    .option('--personal-email <address>', 'private e-mail address')
    .option('--personal-phone-number <number>', 'private phone number')
    .option('--work-phone-number <number>', 'work phone number')
    .option(
      '--home-address-line-1 <text>',
      'first line of the home address; replaces the whole address; empty for no address',
    )
    .option('--home-address-line-2 <text>', 'second line')
    .option('--home-address-line-3 <text>', 'third line')
    .option('--home-address-city <city>', 'city')
    .option('--home-address-region-state <text>', 'region or state, where the country has one')
    .option('--home-address-postal-code <code>', 'postal code, where the country has one')
    .option('--home-address-country <code>', 'ISO 3166-1 alpha-2, such as GB');
  action(setPersonal, async (call) => (await work()).setPersonal(call));
  const setAvatar = ofPerson(group.command('set-avatar').description("set a person's picture")).requiredOption(
    '--file <path>',
    'a JPEG, PNG or WebP file of at most 2097152 bytes, and at most 4096 pixels wide and high',
  );
  action(setAvatar, async (call) => (await work()).setPicture(call));
  const withdraw = ofPerson(
    group
      .command('withdraw-fact')
      .description('take back a change, a correction, an end or a rehire that was recorded by mistake'),
  )
    .requiredOption('--fact <id>', 'the fact, as workforce timeline shows it')
    .requiredOption('--reason <text>', 'why, which is stored: include no personal data');
  action(withdraw, async (call) => (await employment()).withdrawFact(call));
  const mark = ofPerson(
    group
      .command('mark-payroll')
      .description('record that something payroll needs is there, changed or gone; never a value'),
  )
    .addOption(
      new Option('--marker <marker>', 'what it is about').choices([
        'compensation',
        'bank_details',
        'tax_id',
        'government_id',
      ]),
    )
    .addOption(new Option('--state <state>', 'what is recorded of it').choices(['present', 'changed', 'absent']))
    .option('--from <date>', 'the first day for which it holds; today by default')
    .option('--withdraw <id>', 'take back a marker that was recorded by mistake, instead of recording one');
  action(mark, async (call) => (await payroll()).markPayrollOf(call));
  const markers = ofPerson(
    group.command('payroll-markers').description('list what is recorded of what payroll needs, without any value'),
  );
  action(markers, async (call) => (await payroll()).listPayrollMarkers(call));
  const erase = ofPerson(
    group.command('erase').description("destroy a person's personal data permanently; employment and time off stay"),
  )
    .option(
      '--end-on <date>',
      'the final day of an employment that has not ended, YYYY-MM-DD: the end is recorded first',
    )
    .option('--reason <text>', 'the reason, which is stored: include no personal data')
    .option('--yes', 'do not ask for confirmation');
  action(erase, async (call) => (await erasures()).eraseOne(call));
  const list = group
    .command('erasures')
    .description('list erasures of personal data: of which person, by which actor and why')
    .option('--organisation <organisation>', 'id or subdomain (default: all organisations)')
    .option('--export <file>', 'write the list of all organisations to a file, for a restore');
  action(list, async (call) => (await erasures()).showErasures(call));
}

function people(): Promise<typeof import('../work/people-list.js')> {
  return import('../work/people-list.js');
}

function employment(): Promise<typeof import('../work/employment.js')> {
  return import('../work/employment.js');
}

function payroll(): Promise<typeof import('../work/payroll-markers.js')> {
  return import('../work/payroll-markers.js');
}

function erasures(): Promise<typeof import('../work/erasures.js')> {
  return import('../work/erasures.js');
}

function ofPerson(command: Command): Command {
  return command
    .argument('<person>', 'id, work e-mail or staff id')
    .requiredOption('--organisation <organisation>', 'id or subdomain');
}

function work(): Promise<typeof import('../work/people.js')> {
  return import('../work/people.js');
}
