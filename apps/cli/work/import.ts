import { stat } from 'node:fs/promises';
import { date } from '#http/fields.js';
import { problemOf } from '#http/fields/rules.js';
import type { Json } from '#kernel/json.js';
import { dateIn } from '#kernel/dates.js';
import type { ImportReport } from '#csv-import/import-report.js';
import { reportingUnreadable } from '#csv-import/read-csv.js';
import { MapImportColumns, mergedMapping, requireMapping } from '#imports/request-import.js';
import { asMapping, type MappedColumn, mappingOf } from '#imports/import-columns.js';
import { type FileSettings, ImportFile } from '#imports/import-file.js';
import { type FileKind, FILES } from '#imports/import-files.js';
import { MATCHES, type MatchBy } from '#people/import/import-settings.js';
import type { Call, Outcome } from '../declaration.js';
import { operatorContext } from '../command-context.js';
import { NotFoundError, UsageError } from '../command-error.js';
import { withInstallation } from '../installation.js';
import { type Progress, showProgress } from '../progress.js';
import { withCommandBus } from '../send-as-operator.js';
import { readCsvFile } from './import/csv-file.js';
import { requireOrganisation } from '../find-named.js';
import { countInWords } from '../count-in-words.js';

/** `workforce import people`. */
export function importPeopleFile(call: Call): Promise<Outcome> {
  return importFile(call, 'people', { created: 'people', changed: 'people' });
}

/** `workforce import employment-history`. */
export function importHistoryFile(call: Call): Promise<Outcome> {
  return importFile(call, 'employment_history', { created: 'facts', changed: 'facts' });
}

/** `workforce import locations`. */
export function importLocationsFile(call: Call): Promise<Outcome> {
  return importFile(call, 'locations', { created: 'locations', changed: 'locations' });
}

/** `workforce import time-off`. */
export function importTimeOffFile(call: Call): Promise<Outcome> {
  return importFile(call, 'time_off', { created: 'records', changed: 'records' });
}

/** `workforce import payroll-markers`. */
export function importPayrollMarkersFile(call: Call): Promise<Outcome> {
  return importFile(call, 'payroll_markers', { created: 'markers', changed: 'markers' });
}

async function importFile(
  { arguments: [path], options, json }: Call,
  kind: FileKind,
  words: { readonly created: string; readonly changed: string },
): Promise<Outcome> {
  const said = {
    effectiveDate: effectiveDateOf(options),
    matchBy: matchByOf(options),
    mapped: mappedOf(options, FILES[kind].columns),
  };
  requireMapping(said.mapped);
  const size = await sizeOf(path!);
  return withInstallation(async (installation) => {
    const owner = await requireOrganisation(installation.pool, options['organisation'] as string);
    const remembered = await mappingOf(installation.pool, owner.id, kind);
    const progress = new ImportProgress(size, json);
    const settings: FileSettings = {
      context: operatorContext(owner),
      today: () => dateIn(owner.time_zone, new Date()),
      dryRun: options['dryRun'] === true,
      createMissing: options['createMissing'] === true,
      effectiveDate: said.effectiveDate,
      matchBy: said.matchBy,
      mapping: asMapping(remembered, said.mapped),
      refusesUnknownColumns: options['refuseUnknownColumns'] === true,
      onRead: () => undefined,
      onSettled: (rows, total) => progress.settled(rows, total),
    };
    const [report, seconds] = await withCommandBus(installation, async (commands) => {
      if (options['rememberColumns'] === true)
        await commands.execute(
          new MapImportColumns(operatorContext(owner), { kind, mapping: mergedMapping(remembered, said.mapped) }),
        );
      const began = performance.now();
      const rows = readCsvFile(path!, (bytes) => progress.read(bytes));
      const imported = await reportingUnreadable(() => commands.execute(new ImportFile(kind, settings, rows)));
      return [imported, (performance.now() - began) / 1_000] as const;
    }).finally(() => progress.stop());
    const document = documentOf(report, seconds);
    return {
      json: document as unknown as Json,
      text: textOf(report, document.rows_per_second, settings.dryRun, words),
      exitCode: report.problems.length === 0 && (report.rows === 0 || !report.isRefused) ? 0 : 1,
    };
  });
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
class ImportProgress {
  private bar: Progress;
  private isWriting = false;

  constructor(
    size: number,
    private readonly quiet: boolean,
  ) {
    this.bar = showProgress('Reading', size, 'bytes', quiet);
  }

  read(bytes: number): void {
    this.bar.update(bytes);
  }

  settled(rows: number, total: number): void {
    if (!this.isWriting) {
      this.bar.stop();
      this.bar = showProgress('Importing', total, 'rows', this.quiet);
      this.isWriting = true;
    }
    this.bar.update(rows);
  }

  stop(): void {
    this.bar.stop();
  }
}

interface ReportDocument {
  readonly rows: number;
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly problems: ImportReport['problems'];
  readonly warnings: ImportReport['warnings'];
  /** The first of them, see `MAX_CHANGES`. */
  readonly changes: ImportReport['changes'];
  readonly rows_per_second: number;
}

function documentOf(report: ImportReport, seconds: number): ReportDocument {
  const { rows, created, changed, unchanged, failed, problems, warnings, changes } = report;
  return {
    rows,
    created,
    changed,
    unchanged,
    failed,
    problems,
    warnings,
    changes,
    rows_per_second: Math.round(rows / Math.max(seconds, 0.001)),
  };
}

function textOf(
  report: ImportReport,
  rowsPerSecond: number,
  dryRun: boolean,
  words: { readonly created: string; readonly changed: string },
): string {
  const { rows, created, changed, unchanged, failed, problems, warnings, changes, allChanges } = report;
  const would = dryRun ? 'would be ' : '';
  const counts = [
    `${outcomeCount(created, words.created)} ${would}created`,
    ...(changed === 0 ? [] : [`${outcomeCount(changed, words.changed)} ${would}changed`]),
    `${countInWords(unchanged, 'row')} unchanged`,
    `${countInWords(failed, 'row')} refused`,
  ];
  const heading = report.isRefused
    ? REFUSED[dryRun ? 'check' : 'import']
    : dryRun
      ? 'Dry run, nothing was written'
      : 'Imported';
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

const REFUSED = {
  check: 'Dry run, nothing of this file can be imported',
  import: 'Nothing of this file was imported',
} as const;

function lineOfChange({
  line,
  subject,
  field,
  before,
  after,
  effective_date: from,
}: ImportReport['changes'][number]): string {
  return `  line ${line}: ${subject}: ${field}: ${before ?? '(none)'} -> ${after ?? '(none)'}${from === null ? '' : ` from ${from}`}`;
}

type Options = Call['options'];

function effectiveDateOf({ effectiveDate = null }: Options): string | null {
  if (effectiveDate === null) return null;
  const problem = problemOf(date, effectiveDate);
  if (problem !== null) throw new UsageError(`--effective-date ${problem}.`);
  return effectiveDate as string;
}

function matchByOf({ matchBy = null }: Options): MatchBy | null {
  const named = typeof matchBy === 'string' ? matchBy.replaceAll('-', '_') : null;
  if (named !== null && !(MATCHES as readonly string[]).includes(named))
    throw new UsageError('--match-by takes work_email or staff_id.');
  return named as MatchBy | null;
}

function mappedOf({ map = [] }: Options, columns: readonly string[]): readonly MappedColumn[] {
  return (map as readonly string[]).map((text) => {
    const equals = text.lastIndexOf('=');
    if (equals < 1) throw new UsageError('--map takes HEADER=COLUMN, and HEADER= for a column to leave out.');
    const column = text.slice(equals + 1).trim();
    if (column !== '' && !columns.includes(column))
      throw new UsageError(`--map takes one of these columns: ${columns.join(', ')}.`);
    return { header: text.slice(0, equals).trim(), column: column === '' ? null : column };
  });
}

/** A number of things by their plural: `1 person`, `2 people`. */
function outcomeCount(count: number, plural: string): string {
  return countInWords(count, plural === 'people' ? 'person' : plural.replace(/s$/, ''), plural);
}
