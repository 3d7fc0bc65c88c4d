import type { Command } from 'commander';
import { action } from '../command.js';

const COMMON = `
The file is CSV with a header row, in UTF-8, or UTF-16 with a byte-order mark; commas, semicolons, tabs and vertical bars
separate cells. Headers may be in any case, with blanks or hyphens; usual synonyms are recognised, and --map says what
others mean. An unknown column is left out, with a warning. An empty cell leaves its field unchanged. Valid rows are imported; the others are reported with their line numbers (the header is line 1), and the exit
code is then 1. It is safe to import a file again, and to run an interrupted import again.
`;

const NAMES = `${COMMON}
department, work_place and work_type are names or ids; manager is a staff_id, a work e-mail address or an id.
`;

const PEOPLE = `${NAMES}
Columns: work_email (required, names the person), staff_id, first_name, preferred_name, last_name, start_date, end_date,
effective_date, job_title, department, manager, work_place, work_type, contracted_weekly_minutes,
full_time_weekly_minutes.

A row may name a person of another row as manager. For an existing person, names and staff_id are changed where they differ.
start_date is the hire date; another one than the recorded one is a problem. Terms of an existing person that differ from
those in force on the effective date, that of the row or --effective-date, become a change from that day on; without such a
day they are a problem. end_date is the final day of employment. Corrections of former days and rehires belong in
employment-history. A row with the staff_id of another person is refused until --match-by says who is meant. A dry run shows
what would change of existing people, before and after and from when.
`;

const HISTORY = `${NAMES}
Columns: staff_id or work_email (names the person), action (change, the default; end; reactivate), start_date (the first
day of a change or a reactivation), end_date (the final day of an end, inclusive), job_title, department, manager,
work_place, work_type, contracted_weekly_minutes, full_time_weekly_minutes.

The rows of a person are applied in the order of their days, wherever they are in the file; rows of the same day in the
order of lines. A row counts as unchanged if the person has a fact with the same action, day and terms, or if it repeats the
first fact of a period on that day; each fact matches one row. Rows in a former period, or before the recorded ones, are
recorded as corrections with the reason "Imported from a file".
`;

const LOCATIONS = `${COMMON}
Columns: label (required, names the location, ignoring case), address_line_1, address_line_2, address_line_3, city,
region_state, postal_code, country (ISO 3166-1 alpha-2, such as GB), capacity.

A new location also needs address_line_1, city and country. An existing location is changed where a cell differs.
`;

const TIME_OFF = `${COMMON}
Columns: staff_id or work_email (names the person), category (label or id), start_date, end_date (inclusive),
start_day_part, end_day_part (full, the default; morning; afternoon), status (pending, approved, rejected, cancelled;
if empty, the status of a new record of the category).

Each row is requested by the rules of the API and then moved to its status. If a record of the same person, category and
days exists, that record is moved to the row's status, or left unchanged if it has already moved on from there.
`;

const PAYROLL_MARKERS = `${COMMON}
Columns: staff_id or work_email (names the person), marker (compensation, bank_details, tax_id, government_id), state
(present, changed, absent), effective_date (the first day for which it holds). No column takes a value.
`;

/**
 * `workforce import …`: imports people, employment history, time off, locations and markers of payroll from
 * CSV files.
 */
export function register(program: Command): void {
  const group = program
    .command('import')
    .description('import people, employment history, time off and locations from CSV files');
  const people = naming(options(group.command('people'), 'import people, one in each row', PEOPLE))
    .option(
      '--effective-date <date>',
      'day from which terms of existing people hold, where a row has none (YYYY-MM-DD)',
    )
    .option('--match-by <column>', 'what names an existing person: work_email or staff_id');
  action(people, async (call) => (await work()).importPeopleFile(call));
  action(
    naming(options(group.command('employment-history'), 'import employment history, one fact in each row', HISTORY)),
    async (call) => (await work()).importHistoryFile(call),
  );
  action(options(group.command('time-off'), 'import time off, one record in each row', TIME_OFF), async (call) =>
    (await work()).importTimeOffFile(call),
  );
  action(options(group.command('locations'), 'import locations, one in each row', LOCATIONS), async (call) =>
    (await work()).importLocationsFile(call),
  );
  action(
    options(group.command('payroll-markers'), 'import markers of payroll, one in each row', PAYROLL_MARKERS),
    async (call) => (await work()).importPayrollMarkersFile(call),
  );
}

function options(command: Command, description: string, help: string): Command {
  return command
    .argument('<file>', 'CSV file')
    .description(description)
    .requiredOption('--organisation <organisation>', 'id or subdomain')
    .option('--dry-run', 'report every problem and what would change, but write nothing')
    .option('--map <HEADER=COLUMN>', 'what a column of the file means; HEADER= leaves it out; may be repeated', collect)
    .option('--remember-columns', "record --map as the organisation's own, for later imports of all ways")
    .option('--refuse-unknown-columns', 'refuse a file with an unknown column')
    .addHelpText('after', help);
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function naming(command: Command): Command {
  return command.option('--create-missing', 'create missing departments, work places and work types');
}

function work(): Promise<typeof import('../work/import.js')> {
  return import('../work/import.js');
}
