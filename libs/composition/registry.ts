import type { Migration } from '#database/migrations.js';
import type { Clock } from '#kernel/clock.js';
import type { Projection } from '#projections/projection.js';
import { Projector } from '#projections/projector.js';
import { activityProjection } from '#audit/activity/activity.js';
import type { PublishingAggregate, Resource } from '#commands/resource.js';
import { RESOURCES, SANDBOX_RESOURCES } from './resources.js';

const ALL = [...RESOURCES, ...SANDBOX_RESOURCES];

for (const register of ALL.flatMap(({ policies = [] }) => policies)) register();

/** Every aggregate. */
export const AGGREGATES: readonly PublishingAggregate[] = ALL.flatMap(({ tables = [], aggregates = [] }: Resource) => [
  ...tables.map(({ aggregate }) => aggregate),
  ...aggregates,
]);

/** Every projection, in the order of a rebuild. */
export const PROJECTIONS: readonly Projection[] = [
  ...ALL.flatMap(({ tables = [], projections = [] }) => [
    ...tables.map(({ projection }) => projection),
    ...projections,
  ]),
  activityProjection(AGGREGATES.map(({ category }) => category)),
];

/** The tables of resources in the schema's baseline. */
export const RESOURCE_SCHEMAS: readonly string[] = ALL.flatMap(({ schema = [] }) => schema);

/** The steps that resources add to the schema after the baseline. */
export const RESOURCE_MIGRATIONS: readonly Migration[] = ALL.flatMap(({ migrations = [] }) => migrations);

/** Creates the projector of every projection: one for each process. */
export function createProjector(clock: Clock): Projector {
  return new Projector(PROJECTIONS, clock);
}
