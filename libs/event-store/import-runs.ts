import type { ImportedEvent } from './event-store.js';
import { serialiseEvent, type SerialisedEvent } from './new-events.js';

/** Well below the largest append. */
const MOST_CHARACTERS = 300_000;
const MOST_EVENTS = 500;

/** An event to import, with the text that is stored of it. */
export interface SerialisedImport {
  readonly event: ImportedEvent;
  readonly text: SerialisedEvent;
}

/**
 * Divides events, in order, into runs of one stream with consecutive revisions, each of which can be one append. A run ends with an event
 * whose position is wanted, because an append answers with that of its last event. Throws {@link InvalidAppendError} for an event that no
 * append may have.
 */
export function runsOf(
  events: readonly ImportedEvent[],
  isWanted: (event: ImportedEvent) => boolean,
): readonly (readonly SerialisedImport[])[] {
  const runs: SerialisedImport[][] = [];
  let characters = 0;
  for (const event of events) {
    const text = serialiseEvent(event);
    const size = text.data.length + text.metadata.length;
    const run = runs.at(-1);
    const last = run?.at(-1)?.event;
    const follows = last?.stream === event.stream && last.revision + 1 === event.revision && !isWanted(last);
    if (run !== undefined && follows && run.length < MOST_EVENTS && characters + size <= MOST_CHARACTERS) {
      run.push({ event, text });
      characters += size;
    } else {
      runs.push([{ event, text }]);
      characters = size;
    }
  }
  return runs;
}
