import { createWriteStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Pool } from 'pg';
import { exportHistory } from '#event-store/transfer/export-history.js';
import { firstOf } from '#event-store/remembered-log.js';
import { HistoryFileError, type HistoryTrailer } from '#event-store/transfer/history-file.js';
import { importHistory } from '#event-store/transfer/import-history.js';
import { checkHistory } from '#event-store/transfer/read-history.js';
import { movePositions, positionsInUse, publishedUpTo, UnknownPositionError } from '#composition/event-positions.js';
import { ownCommand } from '../command.js';
import type { Outcome } from '../declaration.js';
import { CommandError, NotFoundError, UsageError } from '../command-error.js';
import { countInWords, countInWordsWithVerb } from '#kernel/count-in-words.js';
import { logKindOf } from '../event-store.js';
import { withLongStatements } from '../installation.js';
import { argument, text } from '../options.js';
import { ensureWritable, FORCE } from '../output-file.js';
import { showProgress } from '../progress.js';

const CONNECTIONS = { applicationName: 'workforce events', maximum: 4 };

/** `workforce events …`: the whole history as a file, from one event store to another. */
export const commands = {
  export: ownCommand({
    description: 'write every event to a file',
    arguments: { file: text('', 'file to write (default: standard output)') },
    options: { force: FORCE },
    run: ({ file, force }, json) => exportEvents(file, force, json),
  }),
  import: ownCommand({
    description: 'record a whole history unchanged in an empty event store',
    arguments: { file: argument('a file that workforce events export wrote') },
    run: ({ file }, json) => importEvents(file, json),
  }),
};

function exportEvents(file: string | undefined, force: boolean, json: boolean): Promise<Outcome | number> {
  if (file === undefined && json)
    throw new UsageError('--json and the events cannot both be written to standard output: name a file.');
  ensureWritable(file, force);
  return withLongStatements(CONNECTIONS, async ({ pool, eventStore }) => {
    const progress = showProgress('export', 0, 'events', json);
    const chunks = exportHistory(eventStore, {
      publishedUpTo: await publishedUpTo(pool),
      now: new Date(),
      onProgress: (events, total) => progress.update(events, total),
    });
    const { events, sha256 } = await write(chunks, file);
    progress.stop();
    if (file === undefined) return 0;
    return { json: { file, events, sha256 }, text: `${countInWordsWithVerb(events, 'event')} in ${file}.` };
  });
}

async function importEvents(file: string, json: boolean): Promise<Outcome> {
  await access(file).catch(() => {
    throw new NotFoundError(`${file} cannot be read: name a file that workforce events export wrote.`);
  });
  const progress = showProgress('import', 0, 'events', json);
  try {
    return await withLongStatements(
      CONNECTIONS,
      async (installation) => {
        await expectNoOtherReaders(installation.pool);
        const { header } = await checkHistory(file, (events, total) => progress.update(events, total * 2));
        const published = header.told_up_to;
        const requested = new Set([
          ...(await positionsInUse(installation.pool)),
          ...(published === null ? [] : [published]),
        ]);
        const onProgress = (events: number): void => progress.update(header.events + events, header.events * 2);
        const { imported, present, positions, first, last } = await importHistory(installation.eventStore, file, {
          requested,
          onProgress,
        });
        const kind = logKindOf(installation.configuration);
        const log = { kind, first: await firstOf(installation.eventStore, kind) };
        const moved = await movePositions(installation.pool, { positions, first, last, publishedUpTo: published, log });
        const before = present === 0 ? '' : ` Already present: ${present}.`;
        return {
          json: { events: header.events, streams: header.streams, imported, present, positions_moved: moved },
          text: `Imported ${countInWords(imported, 'event')} of ${countInWords(header.streams, 'stream')}.${before} ${moved ? 'Checkpoints are at the same events as before the move.' : 'Checkpoints had been moved already.'}`,
        };
      },
      { makes: true, log: 'any' },
    );
  } catch (error) {
    if (error instanceof HistoryFileError || error instanceof UnknownPositionError)
      throw new CommandError(error.message);
    throw error;
  } finally {
    progress.stop();
  }
}

async function write(
  chunks: AsyncGenerator<string, HistoryTrailer>,
  file: string | undefined,
): Promise<HistoryTrailer> {
  let trailer: HistoryTrailer | null = null;
  let unread: unknown = null;
  const read = async function* () {
    try {
      trailer = yield* chunks;
    } catch (error) {
      unread = error;
      throw error;
    }
  };
  try {
    await pipeline(read, file === undefined ? process.stdout : createWriteStream(file), { end: file !== undefined });
    return trailer!;
  } catch (error) {
    if (error === unread || file === undefined) throw error;
    throw new CommandError(`${file} cannot be written: ${String(error)}.`);
  }
}

/**
 * Refuses an import while other processes run: their writes would be split between two event stores. Throws
 * {@link CommandError}.
 */
async function expectNoOtherReaders(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
      where datname = current_database() and application_name in ('workforce start', 'workforce api', 'workforce worker') order by 1`,
  );
  if (rows.length > 0)
    throw new CommandError(
      `${rows.map(({ name }) => name).join(' and ')} ${rows.length === 1 ? 'is' : 'are'} running: stop every process first, so that no process writes during the import.`,
    );
}
