import type { StreamingRead } from '@eventstore/db-client';
import { NoAnswerError } from './errors.js';

/**
 * All that a read gives. The client gives reads no deadline, so a timer that each event sets back ends one
 * that stands still, with {@link NoAnswerError}; leaving the iteration would not end the call, so it is
 * cancelled.
 */
export async function readPage<Event>(read: StreamingRead<Event>, milliseconds: number): Promise<readonly Event[]> {
  const events: Event[] = [];
  let timer: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      timer = setTimeout(() => reject(new NoAnswerError(milliseconds)), milliseconds);
      // Stays after the end: an error that comes late must not be without a listener.
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
