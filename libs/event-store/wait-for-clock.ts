import { setTimeout as pause } from 'node:timers/promises';
import { InstantAheadError, MAX_CLOCK_SKEW_MILLISECONDS } from './event-store.js';

/** A reading of the store's clock. */
export interface ClockReading {
  /** Milliseconds since 1970; every later event is recorded at this time or later. */
  readonly clock: number;
}

/**
 * Reads the store's clock until it has passed the instant (ISO 8601), and returns the reading that has passed
 * it. Between two readings it waits for the time that the instant lies ahead. Throws {@link
 * InstantAheadError} if that exceeds the waiting limit.
 */
export async function waitForClock<Found extends ClockReading>(
  instant: string,
  read: () => Promise<Found>,
): Promise<Found> {
  const time = Date.parse(instant);
  for (;;) {
    const found = await read();
    if (found.clock > time) return found;
    const ahead = time - found.clock;
    if (ahead > MAX_CLOCK_SKEW_MILLISECONDS) throw new InstantAheadError(instant);
    await pause(Math.floor(ahead) + 1);
  }
}
