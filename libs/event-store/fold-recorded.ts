import type { DomainEvent } from '#kernel/decider.js';
import type { RecordedEvent } from './event-store.js';

/** How a state follows from events. */
export interface Fold<State, Event extends DomainEvent> {
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  /** Folds whole streams where that is cheaper than event by event; with the same result as `evolve`. */
  readonly fold?: (events: readonly RecordedEvent[]) => State;
  /** Opens events that rest sealed. */
  readonly sealed?: { readonly open: (event: RecordedEvent) => Event };
}

/** The state after recorded events. */
export function foldRecorded<State, Event extends DomainEvent>(
  { initial, evolve, fold, sealed }: Fold<State, Event>,
  events: readonly RecordedEvent[],
): State {
  if (fold !== undefined) return fold(events);
  const open = sealed?.open ?? (({ type, data }: RecordedEvent) => ({ type, data }) as unknown as Event);
  return events.reduce((state, event) => evolve(state, open(event)), initial);
}
