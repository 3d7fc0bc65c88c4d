import type { PreparedAppend } from './statements.js';

/** Each stream takes a lock in the server's shared lock table, whose size is 64 per connection by default. */
const MOST_STREAMS = 250;
const MOST_CHARACTERS = 4_000_000;

/** Splits appends into calls that neither take too many locks nor send too much text; each call has at least one append. */
export function chunksOf(appends: readonly PreparedAppend[]): readonly (readonly PreparedAppend[])[] {
  const chunks: PreparedAppend[][] = [];
  let characters = 0;
  for (const append of appends) {
    const size = append.events.reduce((sum, event) => sum + event.data.length + event.metadata.length, 0);
    const chunk = chunks.at(-1);
    if (chunk === undefined || chunk.length === MOST_STREAMS || characters + size > MOST_CHARACTERS) {
      chunks.push([append]);
      characters = size;
    } else {
      chunk.push(append);
      characters += size;
    }
  }
  return chunks;
}
