import { foldRecorded } from '#event-store/fold-recorded.js';
import type { EventStore } from '#event-store/event-store.js';
import { evolveCalendar, initialCalendar, type TimeOffCalendar, type TimeOffEvent } from './time-off.decider.js';

/** Where a person's time off is recorded. */
export function timeOffStream(organisationId: string, personId: string): string {
  return `time-off-${organisationId}.${personId}`;
}

/** A person's calendar as it is in the store, whatever was projected of it. */
export async function readCalendar(store: EventStore, organisationId: string, personId: string): Promise<TimeOffCalendar> {
  const events = await store.readStream(timeOffStream(organisationId, personId));
  return foldRecorded<TimeOffCalendar, TimeOffEvent>({ initial: initialCalendar, evolve: evolveCalendar }, events);
}
