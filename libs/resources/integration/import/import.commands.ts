import type { CommandContext } from '#commands/command-context.js';
import type { CommandServices } from '#commands/execute.js';
import { underAdvisoryLock } from '#commands/locks/advisory-locks.js';
import { conflict, found, RejectedError, type Rejection } from '#kernel/rejection.js';
import {
  cancelImport,
  countOpenImports,
  findImport,
  type ImportKind,
  type ImportOptions,
  type ImportRow,
  type ImportState,
  insertImport,
  MOST_OPEN_BYTES,
  MOST_OPEN_IMPORTS,
  startImport,
} from '../../importing/jobs/import-jobs.js';

/** What a caller wants imported. */
export interface WantedImport {
  readonly kind: ImportKind;
  readonly fileName: string;
  readonly csv: string;
  readonly isDryRun: boolean;
  readonly createsMissing: boolean;
  readonly options: ImportOptions;
  /** IANA name; it determines the day on which the import runs. */
  readonly timeZone: string;
}

/**
 * Leaves a file to the workers. The same context makes the same import, once. Throws {@link RejectedError} while too many imports of the
 * organisation wait or run, or their files are too large together.
 */
export async function requestImport(services: CommandServices, context: CommandContext, wanted: WantedImport): Promise<ImportRow> {
  const { executor, mint } = services;
  const { organisationId } = context;
  const id = mint.prefixed('import', organisationId, ...context.seed);
  const earlier = await findImport(executor, organisationId, id);
  if (earlier !== null) {
    context.session?.noteFound();
    return earlier;
  }
  // The lock keeps requests at the same time from passing the bounds together.
  return underAdvisoryLock(executor, `imports of ${organisationId}`, async () => {
    const refusal = roomRejection(await countOpenImports(executor, organisationId), Buffer.byteLength(wanted.csv));
    if (refusal !== null) throw new RejectedError(refusal);
    return leaveImport(executor, context, id, wanted);
  });
}

/** Refuses what an organisation may not leave to the workers beside what waits or runs; null where there is room. */
export function roomRejection({ imports, bytes }: { readonly imports: number; readonly bytes: number }, more: number): Rejection | null {
  const what = 'run or cancel one that waits, or ask again when one has ended';
  if (imports >= MOST_OPEN_IMPORTS)
    return conflict('imports', `${imports} imports of the organisation wait or run, the most at a time: ${what}`);
  if (bytes + more <= MOST_OPEN_BYTES) return null;
  return conflict(
    'csv',
    `the files of imports that wait or run may have ${MOST_OPEN_BYTES} bytes together, and have ${bytes} without this one: ${what}`,
  );
}

async function leaveImport(
  executor: CommandServices['executor'],
  context: CommandContext,
  id: string,
  { kind, fileName, csv, isDryRun, createsMissing, options, timeZone }: WantedImport,
): Promise<ImportRow> {
  const { organisationId } = context;
  const made = await insertImport(executor, {
    organisation_id: organisationId,
    id,
    kind,
    file_name: fileName,
    creates_missing: createsMissing,
    options,
    time_zone: timeZone,
    actor: context.actor,
    request_id: context.requestId!,
    isDryRun,
    csv,
  });
  if (made !== null) return made;
  context.session?.noteFound();
  return found(await findImport(executor, organisationId, id));
}

const STARTED: ReadonlySet<ImportState> = new Set<ImportState>(['queued', 'importing', 'imported']);

/** Lets the workers import a checked file; one that was started before stays as it is. Throws `RejectedError` in other states. */
export async function runImport({ executor }: CommandServices, { organisationId }: CommandContext, id: string): Promise<ImportRow> {
  const started = await startImport(executor, organisationId, id);
  if (started !== null) return started;
  const current = found(await findImport(executor, organisationId, id));
  if (STARTED.has(current.state)) return current;
  throw new RejectedError(conflict('state', `only a checked import can be run, and this one is ${wordsOf(current.state)}`));
}

/** Cancels an import that waits; one that was cancelled before stays so. Throws `RejectedError` in other states. */
export async function endWaitingImport({ executor }: CommandServices, { organisationId }: CommandContext, id: string): Promise<ImportRow> {
  const cancelled = await cancelImport(executor, organisationId, id);
  if (cancelled !== null) return cancelled;
  const current = found(await findImport(executor, organisationId, id));
  if (current.state === 'cancelled') return current;
  throw new RejectedError(conflict('state', `only an import that waits can be cancelled, and this one is ${wordsOf(current.state)}`));
}

function wordsOf(state: ImportState): string {
  return state.replace('_', ' ');
}
