import type { JsonObject } from './json.js';
import type { Rejection } from './rejection.js';

/** What happened: the type and data are the storage format, so neither is ever renamed. */
export interface DomainEvent<Type extends string = string, Data extends JsonObject = JsonObject> {
  readonly type: Type;
  readonly data: Data;
}

/** The answer of a decider: the events to record (none where the command changes nothing), or why not. */
export type Decision<Event> = { readonly events: readonly Event[] } | { readonly rejection: Rejection };

/**
 * One aggregate, pure: ids, times and look-ups come in with the command.
 * `evolve` must accept every event that was ever recorded; `decide` never throws for what a caller can send.
 */
export interface Decider<State, Event, Command> {
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  readonly decide: (command: Command, state: State) => Decision<Event>;
}

/** The decision to record these events. */
export function accept<Event>(...events: readonly Event[]): Decision<Event> {
  return { events };
}

/** The decision to refuse. */
export function reject<Event>(rejection: Rejection): Decision<Event> {
  return { rejection };
}

/** The state after these events, from `from` or from the beginning. */
export function fold<State, Event>(
  decider: Pick<Decider<State, Event, never>, 'initial' | 'evolve'>,
  events: Iterable<Event>,
  from: State = decider.initial,
): State {
  let state = from;
  for (const event of events) state = decider.evolve(state, event);
  return state;
}
