import type { ImportedEvent } from './event-store.js';

/** Well below the largest append. */
const MOST_CHARACTERS = 300_000;
const MOST_EVENTS = 500;

/**
 * Divides events, in order, into runs of one stream with consecutive revisions, each of which can be one append. A run ends with an event
 * whose position is wanted, because an append answers with that of its last event.
 */
export function runsOf(
  events: readonly ImportedEvent[],
  isWanted: (event: ImportedEvent) => boolean,
): readonly (readonly ImportedEvent[])[] {
  const runs: ImportedEvent[][] = [];
  let characters = 0;
  for (const event of events) {
    const size = JSON.stringify(event).length;
    const run = runs.at(-1);
    const last = run?.at(-1);
    const follows = last?.stream === event.stream && last.revision + 1 === event.revision && !isWanted(last);
    if (run !== undefined && follows && run.length < MOST_EVENTS && characters + size <= MOST_CHARACTERS) {
      run.push(event);
      characters += size;
    } else {
      runs.push([event]);
      characters = size;
    }
  }
  return runs;
}
