import type { Append } from '#event-store/event-store.js';
import type { Entry, TimeOffEvent } from '../records/time-off.js';

/** The days and minutes of a request for time off, or of a change of one, before it is recorded. */
export interface PreviewedTimeOff extends Pick<Entry, 'days' | 'total_minutes' | 'total_days'> {
  /** The status that the record would have. */
  readonly status_code: 'pending' | 'approved';
}

/**
 * The effect of a request for time off, or of a change of one.
 *
 * @param append the events that the command decided and did not record; the first one has the record's days
 */
export function previewTimeOff({ events: [decided] }: Append): PreviewedTimeOff {
  const { status, entry } = (decided as unknown as Extract<TimeOffEvent, { type: 'TimeOffRequested' }>).data;
  const { days, total_minutes, total_days } = entry;
  return { days, total_minutes, total_days, status_code: status };
}
