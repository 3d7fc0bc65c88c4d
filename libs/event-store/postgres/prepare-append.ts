import { type Append, type ExpectedRevision, InvalidAppendError } from '../event-store.js';
import { type SerialisedEvent, serialiseAppend } from '../new-events.js';

/** A checked append; `place` is its expected revision in the form of the SQL functions: -2 any, -1 none. */
export interface PreparedAppend {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly place: number;
  readonly events: readonly SerialisedEvent[];
}

/** Checks and serialises an append. Throws {@link InvalidAppendError}. */
export function prepare({ stream, expected, events }: Append): PreparedAppend {
  const serialised = serialiseAppend(stream, events);
  // PostgreSQL's text cannot contain it; in data and metadata it is stored as an escape.
  if (stream.includes('\0') || serialised.some((event) => event.type.includes('\0'))) {
    throw new InvalidAppendError('a stream name or an event type contains the character U+0000');
  }
  const place = expected === 'any' ? -2 : expected === 'none' ? -1 : expected;
  return { stream, expected, place, events: serialised };
}
