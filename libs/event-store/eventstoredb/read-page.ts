import type { StreamingRead } from '@eventstore/db-client';
import { NoAnswerError } from './errors.js';

/**
 * All events of a read. The client sets no deadline for reads, so a timer that each event resets ends a
 * stalled read with {@link NoAnswerError}; leaving the iteration would not end the call, so it is cancelled.
 */
export async function readPage<Event>(read: StreamingRead<Event>, milliseconds: number): Promise<readonly Event[]> {
  const events: Event[] = [];
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new NoAnswerError(milliseconds)), milliseconds);
      // Stays after the end, so that a late error has a listener.
      read.on('error', reject);
      read.on('end', resolve);
      read.on('data', (event: Event) => {
        events.push(event);
        timer?.refresh();
      });
    });
    return events;
  } finally {
    clearTimeout(timer);
    read.cancel().catch(() => undefined);
  }
}
