import type { Pool } from 'pg';
import type { Actor } from '#event-store/event-store.js';
import { inTransaction } from '#database/transaction.js';
import type { CreationCursor } from '#http/pages.js';
import type { LocalDate } from '#kernel/dates.js';
import { yieldToEventLoop } from '#kernel/yield-to-event-loop.js';
import type { ColumnMapping } from './columns.js';
import type { ImportChange, ImportProblem, ImportReport } from './import-report.js';
import { createImportKey, openFile, openImportKey, openText, sealText } from './import-seal.js';

type Executor = Pick<Pool, 'query'>;

/** The kinds of files that the API imports. */
export const IMPORT_KINDS = ['people', 'employment_history', 'time_off', 'locations'] as const;
export type ImportKind = (typeof IMPORT_KINDS)[number];

/**
 * States of an import. A dry run goes from `check_queued` through `checking` to `checked`, and waits there
 * to be run; an import goes from `queued` through `importing` to `imported`. Either ends as `refused` if
 * nothing of the file can be imported. The other states are final: the file is destroyed and not processed
 * further.
 */
export const IMPORT_STATES = [
  'check_queued',
  'checking',
  'checked',
  'queued',
  'importing',
  'imported',
  'refused',
  'cancelled',
  'failed',
  'expired',
] as const;
export type ImportState = (typeof IMPORT_STATES)[number];

/** How long a file waits for its import to be started, in hours. */
const MAX_WAITING_HOURS = 24;
/** The retention of problems after the request, in days. */
export const PROBLEM_DAYS = 7;
/** The retention of the record of an import, with its counts, in days. */
const RECORD_DAYS = 90;
/** The maximum number of retained problems of one import; all are counted. */
export const MAX_PROBLEMS = 10_000;
/**
 * The maximum number of retained problems of all imports of an organisation: beyond it, those of the oldest
 * imports are destroyed.
 */
const MAX_PROBLEMS_PER_ORGANISATION = 100_000;
/** The maximum number of imports of an organisation that wait or run. */
export const MAX_OPEN_IMPORTS = 20;
/** The maximum total size of their files, in bytes. */
export const MAX_OPEN_BYTES = 33_554_432;
/** The number of problems that are encrypted, or written, before the event loop runs other work. */
const PROBLEMS_AT_ONCE = 500;
/**
 * After this number of attempts an interrupted import ends as failed, because it may have caused the ends of
 * its workers.
 */
const MAX_ATTEMPTS = 5;
const LEASE = `interval '30 seconds'`;

/** The caller's options; the recognition of columns is fixed when the import is requested. */
export interface ImportOptions {
  readonly effective_date?: LocalDate | null;
  readonly match_by?: 'work_email' | 'staff_id' | null;
  readonly refuse_unknown_columns?: boolean;
  readonly mapping?: ColumnMapping;
}

/** A row of `imports`, without its file and its key. */
export interface ImportRow {
  readonly organisation_id: string;
  readonly id: string;
  readonly kind: ImportKind;
  readonly file_name: string;
  readonly creates_missing: boolean;
  readonly options: ImportOptions;
  readonly time_zone: string;
  readonly actor: Actor;
  readonly request_id: string;
  readonly state: ImportState;
  readonly rows: number;
  readonly settled: number;
  readonly created: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly failed: number;
  readonly problems: number;
  readonly warnings: number;
  readonly changes: number;
  readonly has_problem_texts: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly ended_at: Date | null;
}

const COLUMNS = `organisation_id, id, kind, file_name, creates_missing, options, time_zone, actor, request_id, state,
  rows, settled, created, changed, unchanged, failed, problems, warnings, changes, key is not null as has_problem_texts, created_at, updated_at, ended_at`;

/** A new import with its file. */
export interface NewImport extends Pick<
  ImportRow,
  'organisation_id' | 'id' | 'kind' | 'file_name' | 'creates_missing' | 'options' | 'time_zone' | 'actor' | 'request_id'
> {
  readonly isDryRun: boolean;
  readonly csv: string;
}

/** Stores an import for a worker. Returns null if an import with this id already exists. */
export async function insertImport(executor: Executor, requested: NewImport): Promise<ImportRow | null> {
  const { key, stored } = await createImportKey(executor, requested.id);
  const { rows } = await executor.query<ImportRow>(
    `insert into imports (organisation_id, id, kind, file_name, creates_missing, time_zone, actor, request_id, state,
      key, file, options)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict do nothing returning ${COLUMNS}`,
    [
      requested.organisation_id,
      requested.id,
      requested.kind,
      requested.file_name,
      requested.creates_missing,
      requested.time_zone,
      JSON.stringify(requested.actor),
      requested.request_id,
      requested.isDryRun ? 'check_queued' : 'queued',
      stored,
      sealText(requested.csv, key, requested.id),
      JSON.stringify(requested.options),
    ],
  );
  return rows[0] ?? null;
}

/** The imports of an organisation that wait or run, and the bytes of their files. */
export async function countOpenImports(
  executor: Executor,
  organisationId: string,
): Promise<{ readonly imports: number; readonly bytes: number }> {
  const { rows } = await executor.query<{ imports: number; bytes: number }>(
    `select count(*)::integer as imports, coalesce(sum(octet_length(file)), 0)::float8 as bytes
       from imports where organisation_id = $1 and file is not null and ended_at is null`,
    [organisationId],
  );
  return rows[0]!;
}

/** The import; null if the organisation has none with this id. */
export async function findImport(executor: Executor, organisationId: string, id: string): Promise<ImportRow | null> {
  const { rows } = await executor.query<ImportRow>({
    name: 'find-import',
    text: `select ${COLUMNS} from imports where organisation_id = $1 and id = $2`,
    values: [organisationId, id],
  });
  return rows[0] ?? null;
}

/** Imports of an organisation, the newest first. */
export async function listImports(
  executor: Executor,
  organisationId: string,
  after: CreationCursor | null,
  count: number,
): Promise<readonly ImportRow[]> {
  const { rows } = await executor.query<ImportRow>({
    name: `list-imports-${after === null ? 'first' : 'next'}`,
    text: `select ${COLUMNS} from imports where organisation_id = $1
      ${after === null ? '' : 'and (created_at, id) < ($3::timestamptz, $4)'}
            order by created_at desc, id desc limit $2`,
    values: [organisationId, count, ...(after === null ? [] : [after.createdAt, after.id])],
  });
  return rows;
}

/** Whether a problem refuses its row or the file, or ignores a part of it. */
export const SEVERITIES = ['problem', 'warning'] as const;

/** A problem or a warning by its number among those of its import, from 1. */
export interface NumberedProblem extends ImportProblem {
  readonly number: number;
  readonly severity: (typeof SEVERITIES)[number];
}

/** A change by its number among those of its import, from 1. */
export interface NumberedChange extends ImportChange {
  readonly number: number;
}

/**
 * Problems of an import after a number, then its warnings, each in the order of lines; empty if their texts
 * were destroyed.
 */
export async function listProblems(
  executor: Executor,
  found: ImportRow,
  after: number,
  count: number,
): Promise<readonly NumberedProblem[]> {
  const rows = await listSealed<NumberedProblem>(executor, 'import_problems', found, after, count);
  return rows.map((row) => ({ ...row, severity: row.severity ?? 'problem' }));
}

/**
 * The changes of an import's rows, after a number, in the order of lines; empty if the texts were destroyed.
 */
export function listChanges(
  executor: Executor,
  found: ImportRow,
  after: number,
  count: number,
): Promise<readonly NumberedChange[]> {
  return listSealed<NumberedChange>(executor, 'import_changes', found, after, count);
}

async function listSealed<Row extends { readonly number: number; readonly line: number }>(
  executor: Executor,
  table: 'import_problems' | 'import_changes',
  { organisation_id: organisationId, id }: ImportRow,
  after: number,
  count: number,
): Promise<readonly Row[]> {
  const { rows } = await executor.query<{ key: Buffer | null; number: number; line: number; sealed: Buffer }>({
    name: `list-${table}`,
    text: `select i.key, p.number, p.line, p.sealed from imports i
      join ${table} p on p.organisation_id = i.organisation_id and p.import_id = i.id
            where i.organisation_id = $1 and i.id = $2 and p.number > $3 order by p.number limit $4`,
    values: [organisationId, id, after, count],
  });
  const key = await openImportKey(executor, id, rows[0]?.key ?? null);
  if (key === null) return [];
  return rows.map(
    ({ number, line, sealed }) => ({ number, line, ...(JSON.parse(openText(sealed, key, id)) as object) }) as Row,
  );
}

/** Starts a checked import. Returns null if it is in another state. */
export async function startImport(executor: Executor, organisationId: string, id: string): Promise<ImportRow | null> {
  const { rows } = await executor.query<ImportRow>(
    `update imports set state = 'queued', settled = 0, created = 0, changed = 0, unchanged = 0, failed = 0, changes = 0,
      attempts = 0, updated_at = clock_timestamp()
      where organisation_id = $1 and id = $2 and state = 'checked' and file is not null returning ${COLUMNS}`,
    [organisationId, id],
  );
  return rows[0] ?? null;
}

/** Cancels a waiting import, and destroys its file. Returns null if it is not waiting. */
export async function cancelImport(executor: Executor, organisationId: string, id: string): Promise<ImportRow | null> {
  const { rows } = await executor.query<ImportRow>(
    `update imports set state = 'cancelled', file = null, ended_at = clock_timestamp(), updated_at = clock_timestamp()
      where organisation_id = $1 and id = $2 and state in ('check_queued', 'checked', 'queued') returning ${COLUMNS}`,
    [organisationId, id],
  );
  return rows[0] ?? null;
}

/** The import of a finished job: ids only. */
export interface ImportIds {
  readonly organisation_id: string;
  readonly id: string;
}

/** An import that waits for a worker or runs. */
export interface OpenImport extends ImportIds {
  readonly isDryRun: boolean;
}

/** The imports that wait for a worker, run, or were abandoned by a worker, in the order of requests. */
export async function listOpenImports(executor: Executor): Promise<readonly OpenImport[]> {
  const { rows } = await executor.query<OpenImport>(
    `select organisation_id, id, state in ('check_queued', 'checking') as "isDryRun"
       from imports where state in ('check_queued', 'queued', 'checking', 'importing') order by created_at, id`,
  );
  return rows;
}

/** An import that this worker runs. */
export interface ClaimedImport extends ImportRow {
  readonly run: string;
  /** The text of the file; null if it can no longer be decrypted. */
  readonly csv: string | null;
  readonly key: Buffer | null;
}

/**
 * Takes a waiting import, or one whose worker has ended, under a lease of half a minute. An organisation's
 * imports run one after the other, in the order of requests. Returns `later` while another one is first or
 * another worker holds the lease, and `ended` if nothing is left to do.
 *
 * @param run - a new UUID
 */
export async function claimImport(
  executor: Executor,
  { organisation_id, id }: ImportIds,
  run: string,
): Promise<ClaimedImport | 'later' | 'ended'> {
  await failInterrupted(executor, organisation_id);
  const { rows } = await executor.query<ImportRow & { stored: Buffer | null; file: Buffer | null }>(
    `update imports i set state = case when state in ('check_queued', 'checking') then 'checking'
      else 'importing' end, run = $3,
            leased_until = clock_timestamp() + ${LEASE}, attempts = attempts + 1, updated_at = clock_timestamp()
       from (select id as due_id from imports
              where organisation_id = $1 and state in ('check_queued', 'queued', 'checking', 'importing')
              order by coalesce(leased_until >= clock_timestamp(), false) desc, created_at, id limit 1 for update) due
      where i.organisation_id = $1 and i.id = $2 and i.id = due_id and (leased_until is null
        or leased_until < clock_timestamp())
     returning ${COLUMNS}, key as stored, file`,
    [organisation_id, id, run],
  );
  if (rows[0] === undefined) return (await isOpen(executor, { organisation_id, id })) ? 'later' : 'ended';
  const { stored, file, ...row } = rows[0];
  const key = await openImportKey(executor, row.id, stored);
  return { ...row, run, key, csv: key === null || file === null ? null : await openFile(file, key, row.id) };
}

/** Ends the imports of an organisation that were interrupted too often. */
async function failInterrupted(executor: Executor, organisationId: string): Promise<void> {
  await executor.query(
    `update imports set state = 'failed', file = null, run = null, leased_until = null, ended_at = clock_timestamp(),
      updated_at = clock_timestamp()
      where organisation_id = $1 and state in ('checking', 'importing') and leased_until < clock_timestamp()
        and attempts >= ${MAX_ATTEMPTS}`,
    [organisationId],
  );
}

async function isOpen(executor: Executor, { organisation_id, id }: ImportIds): Promise<boolean> {
  const { rowCount } = await executor.query(
    `select from imports where organisation_id = $1 and id = $2
      and state in ('check_queued', 'queued', 'checking', 'importing')`,
    [organisation_id, id],
  );
  return rowCount === 1;
}

/** Renews the lease and records the progress. Returns whether the run may continue. */
export async function keepImport(
  executor: Executor,
  { organisation_id: organisationId, id, run }: ClaimedImport,
  { rows, settled }: { readonly rows: number; readonly settled: number },
): Promise<boolean> {
  const { rowCount } = await executor.query(
    `update imports set leased_until = clock_timestamp() + ${LEASE}, rows = greatest(rows, $4), settled = $5,
      updated_at = clock_timestamp()
      where organisation_id = $1 and id = $2 and run = $3 and state in ('checking', 'importing')`,
    [organisationId, id, run, rows, settled],
  );
  return rowCount === 1;
}

/** Ends the lease of an incomplete run: another run continues, unless there were too many. */
export async function releaseImport(
  executor: Executor,
  { organisation_id: organisationId, id, run }: ClaimedImport,
): Promise<void> {
  await executor.query(
    `update imports set run = null, leased_until = '-infinity' where organisation_id = $1 and id = $2 and run = $3`,
    [organisationId, id, run],
  );
  await failInterrupted(executor, organisationId);
}

/**
 * Records the result of a run. A checked file is retained for its import; a file that was imported, or of
 * which nothing can be, is destroyed. Records nothing if the run may not continue.
 */
export async function endImport(pool: Pool, claimed: ClaimedImport, report: ImportReport): Promise<void> {
  const { organisation_id: organisationId, id } = claimed;
  const problems = await sealedRows(claimed, [
    ...report.problems.map((problem) => ({ ...problem, severity: 'problem' })),
    ...report.warnings.map((warning) => ({ ...warning, severity: 'warning' })),
  ]);
  const changes = await sealedRows(claimed, report.changes);
  await inTransaction(pool, async (connection) => {
    if (!(await recordEnd(connection, claimed, report))) return;
    for (const [table, rows] of [
      ['import_problems', problems],
      ['import_changes', changes],
    ] as const) {
      await connection.query(`delete from ${table} where organisation_id = $1 and import_id = $2`, [
        organisationId,
        id,
      ]);
      for (let start = 0; start < rows.length; start += PROBLEMS_AT_ONCE) {
        const batch = rows.slice(start, start + PROBLEMS_AT_ONCE);
        await connection.query(
          `insert into ${table} (organisation_id, import_id, number, line, sealed)
           select $1, $2, entry.number, entry.line, entry.sealed
             from unnest($3::integer[], $4::integer[], $5::bytea[]) as entry(number, line, sealed)`,
          [
            organisationId,
            id,
            batch.map((_, index) => start + index + 1),
            batch.map(({ line }) => line),
            batch.map(({ sealed }) => sealed),
          ],
        );
      }
    }
    await forgetOldProblems(connection, organisationId);
  });
}

/**
 * The problems and changes of a run, encrypted with the key of the import; nothing if the key of the import
 * was destroyed.
 */
async function sealedRows(
  { id, key }: ClaimedImport,
  entries: readonly { readonly line: number }[],
): Promise<readonly { readonly line: number; readonly sealed: Buffer }[]> {
  const rows: { line: number; sealed: Buffer }[] = [];
  if (key === null) return rows;
  for (const { line, ...rest } of entries.slice(0, MAX_PROBLEMS)) {
    if (rows.length % PROBLEMS_AT_ONCE === 0) await yieldToEventLoop();
    rows.push({ line, sealed: sealText(JSON.stringify(rest), key, id) });
  }
  return rows;
}

/** Returns whether this run was still the current one and has been ended. */
async function recordEnd(
  executor: Executor,
  { organisation_id: organisationId, id, run, state }: ClaimedImport,
  report: ImportReport,
): Promise<boolean> {
  const end = report.isRefused ? 'refused' : state === 'checking' ? 'checked' : 'imported';
  const { rowCount } = await executor.query(
    `update imports set state = $4, file = case when $4 = 'checked' then file end,
            rows = $5, settled = $6, created = $7, changed = $8, unchanged = $9, failed = $10, problems = $11,
            warnings = $12, changes = $13,
            run = null, leased_until = null, updated_at = clock_timestamp(), ended_at = case
            when $4 = 'checked' then null else clock_timestamp() end
      where organisation_id = $1 and id = $2 and run = $3 and state in ('checking', 'importing')`,
    [
      organisationId,
      id,
      run,
      end,
      report.rows,
      report.settled,
      report.created,
      report.changed,
      report.unchanged,
      report.failed,
      report.problems.length,
      report.warnings.length,
      report.allChanges,
    ],
  );
  return rowCount === 1;
}

/**
 * Destroys the problems of ended imports beyond {@link MAX_PROBLEMS_PER_ORGANISATION}, the newest imports
 * counted first.
 */
async function forgetOldProblems(executor: Executor, organisationId: string): Promise<void> {
  await executor.query(
    `with counted as (
       select id, sum(least(problems, ${MAX_PROBLEMS})) over (order by created_at desc, id desc) as so_far
         from imports where organisation_id = $1 and key is not null
     ), old as (
       update imports i set key = null from counted
        where i.organisation_id = $1 and i.id = counted.id and i.ended_at is not null
          and counted.so_far > ${MAX_PROBLEMS_PER_ORGANISATION} returning i.id
     ), changes as (
       delete from import_changes c using old where c.organisation_id = $1 and c.import_id = old.id
     ) delete from import_problems p using old where p.organisation_id = $1 and p.import_id = old.id`,
    [organisationId],
  );
}

/** Ends an import whose file can no longer be decrypted. */
export async function expireImport(
  executor: Executor,
  { organisation_id: organisationId, id, run }: ClaimedImport,
): Promise<void> {
  await executor.query(
    `update imports set state = 'expired', file = null, key = null, run = null, leased_until = null,
      ended_at = clock_timestamp(), updated_at = clock_timestamp()
      where organisation_id = $1 and id = $2 and run = $3`,
    [organisationId, id, run],
  );
}

/**
 * Destroys expired data: files that wait for {@link MAX_WAITING_HOURS}, problems after {@link PROBLEM_DAYS},
 * and the records of imports after {@link RECORD_DAYS}.
 */
export async function purgeImports(executor: Executor): Promise<void> {
  await executor.query(
    `update imports set state = 'expired', file = null, ended_at = clock_timestamp(), updated_at = clock_timestamp()
      where state in ('check_queued', 'checked', 'queued')
        and updated_at < clock_timestamp() - interval '${MAX_WAITING_HOURS} hours'`,
  );
  await executor.query(
    `with old as (
       update imports set key = null where key is not null and ended_at is not null
         and created_at < clock_timestamp() - interval '${PROBLEM_DAYS} days'
       returning organisation_id, id
     ), changes as (
       delete from import_changes c using old where c.organisation_id = old.organisation_id and c.import_id = old.id
     ) delete from import_problems p using old where p.organisation_id = old.organisation_id and p.import_id = old.id`,
  );
  await executor.query(`delete from imports where ended_at < clock_timestamp() - interval '${RECORD_DAYS} days'`);
}

/** Replaces the name of a file, which may contain a person's name, after an erasure. */
const ERASED_FILE_NAME = '[erased]';

/**
 * Destroys all files of an organisation, their names, problems and changes, and ends waiting and running
 * imports. For an erasure: the files are encrypted, so they cannot be searched for a person. Call {@link
 * countRunning} until no run continues.
 */
export async function destroyFiles(executor: Executor, organisationId: string): Promise<void> {
  await executor.query(
    `with ended as (
       update imports set key = null, file = null, file_name = '${ERASED_FILE_NAME}', updated_at = clock_timestamp(),
         ended_at = coalesce(ended_at, clock_timestamp()),
              state = case when ended_at is null then 'cancelled' else state end
        where organisation_id = $1 and (key is not null or ended_at is null or file_name <> '${ERASED_FILE_NAME}')
          returning id
     ), changes as (
       delete from import_changes c using ended where c.organisation_id = $1 and c.import_id = ended.id
     ) delete from import_problems p using ended where p.organisation_id = $1 and p.import_id = ended.id`,
    [organisationId],
  );
}

/** The number of an organisation's runs that may still continue after the end of their import. */
export async function countRunning(executor: Executor, organisationId: string): Promise<number> {
  const { rows } = await executor.query<{ count: number }>(
    `select count(*)::integer as count from imports where organisation_id = $1 and run is not null
      and leased_until > clock_timestamp()`,
    [organisationId],
  );
  return rows[0]!.count;
}
