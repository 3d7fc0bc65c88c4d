import type { JsonObject } from './json.js';
import type { Rejection } from './rejection.js';
import type { IdKind } from './identifier.js';
import type { WebhookEventType } from './webhook-events.js';

/** A recorded fact: its type and data are the storage format, so neither is ever renamed. */
export interface DomainEvent<Type extends string = string, Data extends JsonObject = JsonObject> {
  readonly type: Type;
  readonly data: Data;
}

/**
 * The result of a decider: the events to record (none for a command without a change), or the reason for
 * refusing.
 */
export type Decision<Event> = { readonly events: readonly Event[] } | { readonly rejection: Rejection };

/**
 * One aggregate, pure: ids, times and look-ups come in with the command. `evolve` must accept every event
 * that was ever recorded; `decide` never throws for input that a caller can send.
 */
export interface Decider<State, Event, Command> {
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  readonly decide: (command: Command, state: State) => Decision<Event>;
}

/** Returns the decision to record these events. */
export function accept<Event>(...events: readonly Event[]): Decision<Event> {
  return { events };
}

/** Returns the decision to refuse. */
export function reject<Event>(rejection: Rejection): Decision<Event> {
  return { rejection };
}

/** Returns the state after these events, starting from `from` or from the initial state. */
export function fold<State, Event>(
  decider: Pick<Decider<State, Event, never>, 'initial' | 'evolve'>,
  events: Iterable<Event>,
  from: State = decider.initial,
): State {
  let state = from;
  for (const event of events) state = decider.evolve(state, event);
  return state;
}

/** How to fold a state from stored events. */
export interface Fold<State, Event extends DomainEvent, Recorded extends DomainEvent> {
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
  /** Folds whole streams if that is cheaper than event by event; its result must equal that of `evolve`. */
  readonly fold?: (events: readonly Recorded[]) => State;
  /** Decrypts events that are stored encrypted. */
  readonly sealed?: { readonly open: (event: Recorded) => Event };
}

/** Returns the state after stored events. */
export function foldRecorded<State, Event extends DomainEvent, Recorded extends DomainEvent>(
  { initial, evolve, fold: foldAll, sealed }: Fold<State, Event, Recorded>,
  events: readonly Recorded[],
): State {
  if (foldAll !== undefined) return foldAll(events);
  const open = sealed?.open ?? (({ type, data }: Recorded) => ({ type, data }) as unknown as Event);
  return fold({ initial, evolve }, events.map(open));
}

/** Webhook event types, or a function that returns them for a recorded event. */
export type PublishedTypes<Event> = readonly WebhookEventType[] | ((event: Event) => readonly WebhookEventType[]);

/** The declaration of an aggregate. Stream names, ids and published webhook events follow from it. */
export interface AggregateDefinition<State, Event extends DomainEvent> extends Pick<
  Decider<State, Event, never>,
  'initial' | 'evolve'
> {
  /** The first part of its stream names. Part of the storage format: never renamed. */
  readonly category: string;
  /** The kind of its own ids; absent if its streams are named after a person or an organisation. */
  readonly idKind?: IdKind;
  /**
   * The webhook events of each recorded event (contract part 6). An event that is not listed is not
   * published.
   */
  readonly publishedAs?: { readonly [Type in Event['type']]?: PublishedTypes<Extract<Event, { type: Type }>> };
  /**
   * The resource in a published event: the organisation, or an id in the event; the stream's own entity by
   * default.
   */
  readonly publishedOf?: 'organisation' | ((event: Event) => string);
}

/** The unit of consistency: one stream of events for each entity of a tenant. */
export interface Aggregate<State, Event extends DomainEvent> extends AggregateDefinition<State, Event> {
  /** Returns the name of an entity's stream, see {@link streamName}. */
  streamOf(organisationId: string, entityId: string): string;
}

/** Returns the name of the stream of an entity: `{category}-{organisation}.{entity}`. */
export function streamName(category: string, organisationId: string, entityId: string): string {
  return `${category}-${organisationId}.${entityId}`;
}

/** Declares an aggregate, next to its decider. */
export function defineAggregate<State, Event extends DomainEvent>(
  definition: AggregateDefinition<State, Event>,
): Aggregate<State, Event> {
  return {
    ...definition,
    streamOf: (organisationId, entityId) => streamName(definition.category, organisationId, entityId),
  };
}

/** `org_` and three segments of 8, 8 and 12 characters with dots between. */
const ORGANISATION_ID_LENGTH = 34;

/** Returns the organisation and the entity of a stream, the reverse of {@link Aggregate.streamOf}. */
export function partsOfStream(stream: string): { readonly organisationId: string; readonly entityId: string } {
  const key = stream.slice(stream.indexOf('-org_') + 1);
  return { organisationId: key.slice(0, ORGANISATION_ID_LENGTH), entityId: key.slice(ORGANISATION_ID_LENGTH + 1) };
}
