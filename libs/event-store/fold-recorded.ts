import type { DomainEvent } from '#kernel/decider.js';
import type { RecordedEvent } from './event-store.js';

/** How a state follows from events. */
export interface Fold<State, Event extends DomainEvent> {
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
}

/** The state after recorded events. */
export function foldRecorded<State, Event extends DomainEvent>({ initial, evolve }: Fold<State, Event>, events: readonly RecordedEvent[]): State {
  return events.reduce((state, event) => evolve(state, { type: event.type, data: event.data } as unknown as Event), initial);
}
