import { stat } from 'node:fs/promises';
import { dateIn } from '#kernel/dates.js';
import type { ImportReport } from '#csv-import/import-report.js';
import { reportingUnreadable } from '#csv-import/read-csv.js';
import { MapImportColumns, mergedMapping, requireMapping } from '#imports/request-import.js';
import { asMapping, type MappedColumn, mappingOf } from '#imports/import-columns.js';
import { type FileSettings, ImportFile } from '#imports/import-file.js';
import { type FileKind, FILES } from '#imports/import-files.js';
import { MATCHES, type MatchBy } from '#people/import/import-settings.js';
import { command, type Entry } from '../command.js';
import type { Context, Given, Outcome, Parameters } from '../declaration.js';
import { operatorContext } from '../command-context.js';
import { NotFoundError, UsageError } from '../command-error.js';
import { argument, dateOf, flag, ORGANISATION, repeated, text } from '../options.js';
import { type Progress, showProgress } from '../progress.js';
import { withCommandBus } from '../send-as-operator.js';
import { readCsvFile } from '../work/import/csv-file.js';
import { countInWords } from '#kernel/count-in-words.js';

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

const ARGUMENTS = { file: argument('CSV file') };
const OPTIONS = {
  organisation: ORGANISATION,
  dry_run: flag('report every problem and what would change, but write nothing'),
  map: repeated(
    '<HEADER=COLUMN>',
    'column that a header of the file stands for; HEADER= ignores it; may be repeated',
    mappedOf,
  ),
  remember_columns: flag("record --map as the organisation's own, for later imports of all ways"),
  refuse_unknown_columns: flag('refuse a file with an unknown column'),
};
const NAMING = { create_missing: flag('create missing departments, work places and work types') };
const MATCHING = {
  effective_date: text(
    '<date>',
    'effective date of changed terms of existing people, for rows without one (YYYY-MM-DD)',
    dateOf,
  ),
  match_by: text('<column>', 'column that identifies an existing person: work_email or staff_id', matchByOf),
};

/**
 * `workforce import …`: imports people, employment history, time off, locations and markers of payroll from
 * CSV files.
 */
export const commands = {
  people: fileOf('people', 'people, one', PEOPLE, ['person', 'people'], { ...NAMING, ...MATCHING }),
  'employment-history': fileOf('employment_history', 'employment history, one fact', HISTORY, ['fact'], NAMING),
  'time-off': fileOf('time_off', 'time off, one record', TIME_OFF, ['record']),
  locations: fileOf('locations', 'locations, one', LOCATIONS, ['location']),
  'payroll-markers': fileOf('payroll_markers', 'markers of payroll, one', PAYROLL_MARKERS, ['marker']),
};

type Noun = readonly [one: string, many?: string];

/** The command that imports a kind of file. `noun`: the resource that a row creates or changes. */
function fileOf(kind: FileKind, rows: string, help: string, noun: Noun, more: Parameters = {}): Entry {
  return command({
    description: `import ${rows} in each row`,
    help,
    arguments: ARGUMENTS,
    options: { ...OPTIONS, ...more },
    check: async ({ file, map = [] }) => {
      requireMapping(mappedTo(map as readonly MappedColumn[], FILES[kind].columns));
      await sizeOf(file as string);
    },
    run: (given, context) => importFile(given as Asked, context, kind, noun),
  });
}

/** The arguments and options of an import. */
type Asked = Given<typeof ARGUMENTS & typeof OPTIONS> & Partial<Given<typeof NAMING & typeof MATCHING>>;

async function importFile(
  { file: path, organisation: owner, map: mapped = [], ...asked }: Asked,
  { installation, pool, json }: Context,
  kind: FileKind,
  noun: Noun,
): Promise<Outcome> {
  const remembered = await mappingOf(pool, owner.id, kind);
  const progress = importProgress(await sizeOf(path), json);
  const settings: FileSettings = {
    context: operatorContext(owner),
    today: () => dateIn(owner.time_zone, new Date()),
    dryRun: asked.dry_run,
    createMissing: asked.create_missing ?? false,
    effectiveDate: asked.effective_date ?? null,
    matchBy: asked.match_by ?? null,
    mapping: asMapping(remembered, mapped),
    refusesUnknownColumns: asked.refuse_unknown_columns,
    onRead: () => undefined,
    onSettled: (rows, total) => progress.settled(rows, total),
  };
  const [report, seconds] = await withCommandBus(installation, async (commands) => {
    if (asked.remember_columns)
      await commands.execute(
        new MapImportColumns(operatorContext(owner), { kind, mapping: mergedMapping(remembered, mapped) }),
      );
    const began = performance.now();
    const rows = readCsvFile(path, (bytes) => progress.read(bytes));
    const imported = await reportingUnreadable(() => commands.execute(new ImportFile(kind, settings, rows)));
    return [imported, (performance.now() - began) / 1_000] as const;
  }).finally(() => progress.stop());
  const { rows, created, changed, unchanged, failed, problems, warnings, changes, isRefused } = report;
  const rate = Math.round(rows / Math.max(seconds, 0.001));
  return {
    json: { rows, created, changed, unchanged, failed, problems, warnings, changes, rows_per_second: rate },
    text: textOf(report, rate, asked.dry_run, noun),
    exitCode: problems.length === 0 && (rows === 0 || !isRefused) ? 0 : 1,
  };
}

async function sizeOf(path: string): Promise<number> {
  try {
    const file = await stat(path);
    if (file.isFile()) return file.size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  throw new NotFoundError(`There is no file ${path}.`);
}

/** Shows one bar while reading, then one while writing. */
function importProgress(size: number, quiet: boolean) {
  const reading = showProgress('Reading', size, 'bytes', quiet);
  let writing: Progress | null = null;
  return {
    read: (bytes: number) => reading.update(bytes),
    settled: (rows: number, total: number) => {
      if (writing === null) reading.stop();
      writing ??= showProgress('Importing', total, 'rows', quiet);
      writing.update(rows);
    },
    stop: () => (writing ?? reading).stop(),
  };
}

function textOf(report: ImportReport, rowsPerSecond: number, dryRun: boolean, noun: Noun): string {
  const { rows, created, changed, unchanged, failed, problems, warnings, changes, allChanges } = report;
  const would = dryRun ? 'would be ' : '';
  const counts = [
    `${countInWords(created, ...noun)} ${would}created`,
    ...(changed === 0 ? [] : [`${countInWords(changed, ...noun)} ${would}changed`]),
    `${countInWords(unchanged, 'row')} unchanged`,
    `${countInWords(failed, 'row')} refused`,
  ];
  const [imported, checked] = HEADINGS[report.isRefused ? 'refused' : 'read'];
  const heading = dryRun ? checked : imported;
  const lines = [
    ...problems.map(({ line, field, issue }) => `  line ${line}: ${field}: ${issue}`),
    ...warnings.map(({ line, field, issue }) => `  warning, line ${line}: ${field}: ${issue}`),
    ...(dryRun ? changes.map(lineOfChange) : []),
    ...(dryRun && allChanges > changes.length ? [`  and ${allChanges - changes.length} more changes`] : []),
  ];
  return [
    `${heading}: ${countInWords(rows, 'row')}, ${counts.join(', ')} (${rowsPerSecond} rows a second).`,
    ...lines,
  ].join('\n');
}

/** The headings of the report of an import, and of a dry run. */
const HEADINGS = {
  refused: ['Nothing of this file was imported', 'Dry run, nothing of this file can be imported'],
  read: ['Imported', 'Dry run, nothing was written'],
} as const;

function lineOfChange(change: ImportReport['changes'][number]): string {
  const { line, subject, field, before, after, effective_date: from } = change;
  return `  line ${line}: ${subject}: ${field}: ${before ?? '(none)'} -> ${after ?? '(none)'}${from === null ? '' : ` from ${from}`}`;
}

function matchByOf(given: string): MatchBy {
  const found = MATCHES.find((match) => match === given.replaceAll('-', '_'));
  if (found === undefined) throw new UsageError('--match-by takes work_email or staff_id.');
  return found;
}

function mappedOf(given: string): MappedColumn {
  const equals = given.lastIndexOf('=');
  if (equals < 1) throw new UsageError('--map takes HEADER=COLUMN, and HEADER= for a column to leave out.');
  return { header: given.slice(0, equals).trim(), column: given.slice(equals + 1).trim() || null };
}

function mappedTo(mapped: readonly MappedColumn[], columns: readonly string[]): readonly MappedColumn[] {
  if (mapped.every(({ column }) => column === null || columns.includes(column))) return mapped;
  throw new UsageError(`--map takes one of these columns: ${columns.join(', ')}.`);
}
