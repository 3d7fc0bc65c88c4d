import { foldRecorded } from '#kernel/aggregate.js';
import type { EventStore } from '#event-store/event-store.js';
import { timeOffAggregate, type TimeOffCalendar } from './time-off.decider.js';

/** A person's calendar as it is in the store, whatever was projected of it. */
export async function readCalendar(store: EventStore, organisationId: string, personId: string): Promise<TimeOffCalendar> {
  const events = await store.readStream(timeOffAggregate.streamOf(organisationId, personId));
  return foldRecorded(timeOffAggregate, events);
}
