import type { Provider, Type } from '@nestjs/common';
import type { Migration } from '#database/migrations.js';
import type { Policy } from '#kernel/policy.js';
import type { WebhookEventType } from '#kernel/webhook-events.js';
import type { Projection } from '#projections/projection.js';

/** The four areas, each with one Nest module. */
export type Area = 'organisation' | 'people' | 'time-off' | 'integration';

/** The part of an aggregate from which published events derive; see `AggregateDefinition`. */
export interface PublishingAggregate {
  readonly category: string;
  readonly publishedAs?: {
    readonly [type: string]: readonly WebhookEventType[] | ((event: never) => readonly WebhookEventType[]);
  };
  readonly publishedOf?: 'organisation' | ((event: never) => string);
}

/**
 * The declaration of a resource. Code about all resources reads these declarations and has no list of its
 * own.
 */
export interface Resource {
  readonly area: Area;
  /** Its read tables with one row for each entity, with their aggregates. */
  readonly tables?: readonly { readonly aggregate: PublishingAggregate; readonly projection: Projection }[];
  /** Aggregates in addition to those of `tables`. */
  readonly aggregates?: readonly PublishingAggregate[];
  /** Projections in addition to those of `tables`. */
  readonly projections?: readonly Projection[];
  /** SQL of its tables in the schema's baseline. Never changes: later tables and columns are `migrations`. */
  readonly schema?: string;
  /** Steps of the schema after the baseline, see `Migration`. */
  readonly migrations?: readonly Migration[];
  /** Its reactions to events of other contexts. */
  readonly policies?: readonly Policy[];
  readonly controllers?: readonly Type[];
  /**
   * Command handlers and the providers that only they inject. They need nothing but `CommandBusParts`, so
   * that a process without a listener has them too.
   */
  readonly handlers?: readonly Provider[];
  /** Readers and writers that controllers inject. */
  readonly providers?: readonly Provider[];
}

/** Declares a resource, for one line in `resources.ts`. */
export function defineResource(resource: Resource): Resource {
  return resource;
}
