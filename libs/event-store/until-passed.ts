import { setTimeout as pause } from 'node:timers/promises';
import { InstantAheadError, MOST_MILLISECONDS_AHEAD } from './event-store.js';

/** What a look at the store's clock found. */
export interface ClockReading {
  /** Milliseconds since 1970; whatever is recorded from now on is recorded at this time or later. */
  readonly clock: number;
}

/**
 * Looks at the store's clock until it has passed the instant (ISO 8601), and gives the look that found it passed. Waits between two
 * looks for as long as the instant lies ahead. Throws {@link InstantAheadError} where that is longer than callers are kept waiting.
 */
export async function untilPassed<Found extends ClockReading>(instant: string, read: () => Promise<Found>): Promise<Found> {
  const time = Date.parse(instant);
  for (;;) {
    const found = await read();
    if (found.clock > time) return found;
    const ahead = time - found.clock;
    if (ahead > MOST_MILLISECONDS_AHEAD) throw new InstantAheadError(instant);
    await pause(Math.floor(ahead) + 1);
  }
}
