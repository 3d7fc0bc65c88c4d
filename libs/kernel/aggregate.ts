import type { Decider, DomainEvent } from './decider.js';
import type { IdKind } from './identifier.js';
import type { WebhookEventType } from './webhook-events.js';

/** Webhook event types, or how they follow from a recorded event. */
export type PublishedTypes<Event> = readonly WebhookEventType[] | ((event: Event) => readonly WebhookEventType[]);

/** What an aggregate is declared to be. Stream names, ids, and what integrators receive follow from it. */
export interface AggregateDefinition<State, Event extends DomainEvent> extends Pick<Decider<State, Event, never>, 'initial' | 'evolve'> {
  /** The first part of its streams' names. Part of the storage format: never renamed. */
  readonly category: string;
  /** The kind of its own ids; left out where its streams are named after a person or an organisation. */
  readonly idKind?: IdKind;
  /** Which webhook events each recorded one is published as (contract part 6). What is not named here is not published. */
  readonly publishedAs?: { readonly [Type in Event['type']]?: PublishedTypes<Extract<Event, { type: Type }>> };
  /** The resource that a published event names: the organisation, or an id in the event; the stream's own entity where not given. */
  readonly publishedOf?: 'organisation' | ((event: Event) => string);
}

/** The unit of consistency: one stream of events for each entity of a tenant. */
export interface Aggregate<State, Event extends DomainEvent> extends AggregateDefinition<State, Event> {
  /** The name of an entity's stream: `{category}-{organisation}.{entity}`. */
  streamOf(organisationId: string, entityId: string): string;
}

/** Declares an aggregate, next to its decider. */
export function defineAggregate<State, Event extends DomainEvent>(definition: AggregateDefinition<State, Event>): Aggregate<State, Event> {
  return { ...definition, streamOf: (organisationId, entityId) => `${definition.category}-${organisationId}.${entityId}` };
}
