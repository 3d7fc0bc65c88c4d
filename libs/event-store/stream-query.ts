import type { RecordedEvent } from './event-store.js';

/** Reads a stream within somebody else's statement, where events rest in the same database. */
export interface StreamQuery {
  /** An expression whose value is the whole stream that a parameter (`$3`) names. */
  expression(parameter: string): string;
  /** The events of that value. */
  eventsOf(value: unknown): readonly RecordedEvent[];
}
