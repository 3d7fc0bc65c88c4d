import { randomUUID } from 'node:crypto';
import type { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { dateIn } from '#kernel/dates.js';
import type { Clock } from '#kernel/clock.js';
import { yieldToEventLoop } from '#kernel/yield-to-event-loop.js';
import { pause } from '#projections/leadership.js';
import {
  type ClaimedImport,
  claimImport,
  endImport,
  expireImport,
  type ImportIds,
  keepImport,
  releaseImport,
} from '#csv-import/import-jobs.js';
import { readCsv, reportingUnreadable } from '#csv-import/read-csv.js';
import { type FileSettings, ImportFile } from './import-file.js';

/** The dependencies of running imports. */
export interface ImportRunParts {
  readonly pool: Pool;
  readonly commands: CommandBus;
  readonly clock: Clock;
  /** Called every two seconds while the import runs. */
  readonly onProgress?: (progress: ImportProgress) => void;
}

/** Rows read so far, and those of them that were checked or imported. */
export interface ImportProgress {
  readonly rows: number;
  readonly settled: number;
}

const RENEWAL_MILLISECONDS = 2_000;
/**
 * The maximum age of the latest renewal. Shorter than the lease in the database, so that a run that may have
 * lost its lease stops before another one begins.
 */
const MAX_RENEWAL_AGE_MILLISECONDS = 20_000;

/** This run may not continue: its worker stops, the import was ended, or the lease may be lost. */
class ImportStoppedError extends Error {
  constructor() {
    super('this run of an import may not continue');
    this.name = 'ImportStoppedError';
  }
}

/**
 * Runs a requested import. Returns `later` if it stays open: another import of the organisation is first,
 * another worker has it, or the signal has aborted. Throws the errors of an import, which is then due again.
 */
export async function runRequestedImport(
  parts: ImportRunParts,
  ids: ImportIds,
  signal: AbortSignal,
): Promise<'ended' | 'later'> {
  if (signal.aborted) return 'later';
  const claimed = await claimImport(parts.pool, ids, randomUUID());
  if (typeof claimed === 'string') return claimed;
  if (claimed.csv !== null) return new ImportRun(parts, claimed, signal).complete(claimed.csv);
  await expireImport(parts.pool, claimed);
  return 'ended';
}

/** One run of one import, which stops as soon as it may not continue. */
class ImportRun {
  private readonly progress = { rows: 0, settled: 0 };
  private renewedAt = performance.now();
  private isLost = false;

  constructor(
    private readonly parts: ImportRunParts,
    private readonly claimed: ClaimedImport,
    private readonly signal: AbortSignal,
  ) {}

  async complete(csv: string): Promise<'ended' | 'later'> {
    const { parts, claimed } = this;
    const ended = new AbortController();
    const renewing = this.renewUntil(ended.signal);
    try {
      const command = new ImportFile(claimed.kind, this.settings(), readCsv(piecesOf(csv)));
      const report = await reportingUnreadable(() => parts.commands.execute(command));
      await endImport(parts.pool, claimed, report);
      return 'ended';
    } catch (error) {
      if (!(error instanceof ImportStoppedError)) throw error;
      return 'later';
    } finally {
      ended.abort();
      await renewing;
      await releaseImport(parts.pool, claimed);
    }
  }

  private settings(): FileSettings {
    const { clock } = this.parts;
    const {
      organisation_id: organisationId,
      id,
      kind: _kind,
      actor,
      request_id: requestId,
      time_zone: timeZone,
      ...row
    } = this.claimed;
    const today = () => dateIn(timeZone, clock.now());
    return {
      context: {
        organisationId,
        actor,
        requestId,
        idempotencyKey: null,
        fingerprint: null,
        seed: ['import', id],
        today: today(),
        beforeAppend: () => this.assertHeld(),
      },
      today,
      dryRun: row.state === 'checking',
      createMissing: row.creates_missing,
      effectiveDate: row.options.effective_date ?? null,
      matchBy: row.options.match_by ?? null,
      mapping: row.options.mapping ?? {},
      refusesUnknownColumns: row.options.refuse_unknown_columns ?? false,
      onRead: (rows) => {
        this.assertHeld();
        this.progress.rows = rows;
      },
      onSettled: (settled, rows) => {
        this.assertHeld();
        Object.assign(this.progress, { settled, rows });
      },
    };
  }

  private assertHeld(): void {
    if (this.isLost || this.signal.aborted || performance.now() - this.renewedAt > MAX_RENEWAL_AGE_MILLISECONDS)
      throw new ImportStoppedError();
  }

  /**
   * Renews the lease until the signal aborts. A failed renewal is retried; the run stops if the latest one
   * is too old.
   */
  private async renewUntil(ended: AbortSignal): Promise<void> {
    while (!ended.aborted && !this.isLost) {
      await pause(RENEWAL_MILLISECONDS, ended);
      if (ended.aborted) return;
      this.parts.onProgress?.(this.progress);
      const sentAt = performance.now();
      const isRenewed = await keepImport(this.parts.pool, this.claimed, this.progress).catch(() => null);
      if (isRenewed === true) this.renewedAt = sentAt;
      if (isRenewed === false) this.isLost = true;
    }
  }
}

/** The number of characters that are read before the event loop runs other work. */
const PIECE = 32_000;

/** The pieces of a text. Streams alone do not yield to the event loop while there is more to read. */
export async function* piecesOf(text: string): AsyncGenerator<string> {
  for (let start = 0; start < text.length; start += PIECE) {
    yield text.slice(start, start + PIECE);
    await yieldToEventLoop();
  }
}
