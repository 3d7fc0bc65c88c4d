import type { DomainEvent } from '#kernel/decider.js';
import type { RecordedEvent } from './event-store.js';

/** How a state follows from events. */
export interface Fold<State, Event extends DomainEvent> {
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  /** Folds whole streams where that is cheaper than event by event; with the same result as `evolve`. */
  readonly fold?: (events: readonly RecordedEvent[]) => State;
}

/** The state after recorded events. */
export function foldRecorded<State, Event extends DomainEvent>(
  { initial, evolve, fold }: Fold<State, Event>,
  events: readonly RecordedEvent[],
): State {
  if (fold !== undefined) return fold(events);
  return events.reduce((state, event) => evolve(state, { type: event.type, data: event.data } as unknown as Event), initial);
}
