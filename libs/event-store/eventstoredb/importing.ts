import { type ImportedEvent, type Position, WrongExpectedRevisionError } from '../event-store.js';
import { serialiseEvent } from '../new-events.js';
import type { Appender } from './appender.js';
import { textOf } from './positions.js';

/** The maximum size of one append, well below that of the server. */
const MAX_CHARACTERS = 300_000;
const MAX_EVENTS = 500;

/**
 * Imports events as `EventStore.importEvents` does: one append after the other, because that keeps their
 * order in the log. Consecutive events of one stream are one append.
 */
export async function importEvents(
  appender: Appender,
  events: readonly ImportedEvent[],
  isSelected: (event: ImportedEvent) => boolean,
): Promise<readonly (Position | null)[]> {
  const positions: (Position | null)[] = [];
  for (const run of runsOf(events, isSelected)) {
    const position = await importRun(appender, run);
    positions.push(...run.slice(1).map(() => null), position);
  }
  return positions;
}

async function importRun(appender: Appender, run: readonly ImportedEvent[]): Promise<Position> {
  const { stream, revision } = run[0]!;
  const expected = revision === 0 ? 'none' : revision - 1;
  try {
    return textOf(
      await appender.import({ stream, expected, events: run, recordedTimes: run.map(({ recordedAt }) => recordedAt) }),
    );
  } catch (error) {
    if (!(error instanceof WrongExpectedRevisionError) || run.length === 1) throw error;
  }
  // An earlier attempt with other boundaries may have imported a part of the run.
  let position: Position = '';
  for (const event of run) position = await importRun(appender, [event]);
  return position;
}

/**
 * Runs of one stream with consecutive revisions. A run ends with an event whose position is requested: an
 * append returns the position of its last event.
 */
function runsOf(
  events: readonly ImportedEvent[],
  isSelected: (event: ImportedEvent) => boolean,
): readonly (readonly ImportedEvent[])[] {
  const runs: ImportedEvent[][] = [];
  let characters = 0;
  for (const event of events) {
    const { data, metadata } = serialiseEvent(event);
    const size = data.length + metadata.length;
    const run = runs.at(-1);
    const last = run?.at(-1);
    const follows = last?.stream === event.stream && last.revision + 1 === event.revision && !isSelected(last);
    if (run !== undefined && follows && run.length < MAX_EVENTS && characters + size <= MAX_CHARACTERS) {
      run.push(event);
      characters += size;
    } else {
      runs.push([event]);
      characters = size;
    }
  }
  return runs;
}
