import type { Provider, Type } from '@nestjs/common';
import type { Migration } from '#database/migrations.js';
import type { WebhookEventType } from '#kernel/webhook-events.js';
import type { Projection } from '#projections/projection.js';

/** The four areas, each of them one Nest module. */
export type Area = 'organisation' | 'people' | 'time-off' | 'integration';

/** An aggregate as those see it who only ask what its events are published as; see `AggregateDefinition`. */
export interface PublishingAggregate {
  readonly category: string;
  readonly publishedAs?: { readonly [type: string]: readonly WebhookEventType[] | ((event: never) => readonly WebhookEventType[]) };
  readonly publishedOf?: 'organisation' | ((event: never) => string);
}

/** The declaration of a resource. Code that covers all resources reads these declarations, and keeps no list of its own. */
export interface Resource {
  readonly area: Area;
  /** Its read tables of one row an entity, with their aggregates. */
  readonly tables?: readonly { readonly aggregate: PublishingAggregate; readonly projection: Projection }[];
  /** Aggregates beside those of `tables`. */
  readonly aggregates?: readonly PublishingAggregate[];
  /** Projections beside those of `tables`. */
  readonly projections?: readonly Projection[];
  /** SQL of its tables in the schema's baseline. Never changes: later tables and columns are `migrations`. */
  readonly schema?: string;
  /** Steps of the schema after the baseline, see `Migration`. */
  readonly migrations?: readonly Migration[];
  readonly controllers?: readonly Type[];
  /** Command handlers, readers and writers: what the controllers are given. */
  readonly providers?: readonly Provider[];
}

/** Declares a resource: the one thing that `resources.ts` names of it. */
export function defineResource(resource: Resource): Resource {
  return resource;
}
