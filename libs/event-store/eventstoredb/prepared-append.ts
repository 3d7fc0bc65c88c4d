import type { Position } from '../event-store.js';
import type { SerialisedEvent } from '../new-events.js';

/** Where the last event of an append is. */
export interface Place {
  readonly revision: number;
  /** Null where the server knows that the append was recorded before, and no longer where. */
  readonly position: Position | null;
}

/** An append as it is sent. */
export interface PreparedAppend {
  readonly stream: string;
  readonly expected: 'none' | number;
  readonly events: readonly SerialisedEvent[];
}
