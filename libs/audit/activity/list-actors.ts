import type { Actor } from '#event-store/event-store.js';
import type { NamedActorResponse } from '#http/actor.js';
import { namesOfActors } from '#people/person/event-subjects.js';
import type { Executor } from '#projections/projection.js';

/** The maximum number of actors in a list. */
const MAX_ACTORS = 1_000;

// Jumps from one actor to the next in the index of actors: an organisation has few of them, and many events.
const ACTORS = `
with recursive actor as (
  (select actor_id, actor_type from activity where organisation_id = $1 order by actor_id limit 1)
  union all
  select next.actor_id, next.actor_type from actor cross join lateral (
    select actor_id, actor_type from activity where organisation_id = $1 and actor_id > actor.actor_id
     order by actor_id limit 1) next
)
select actor_type as type, actor_id as id from actor limit $2`;

/** The actors that have recorded events of an organisation, by name; those without a name last. */
export async function listActors(executor: Executor, organisationId: string): Promise<readonly NamedActorResponse[]> {
  const { rows } = await executor.query<Actor>({
    name: 'list-actors',
    text: ACTORS,
    values: [organisationId, MAX_ACTORS],
  });
  const names = await namesOfActors(executor, organisationId, rows);
  return rows
    .map(({ type, id }) => ({ type, id, name: names.get(id) ?? null }))
    .toSorted((one, other) => orderOf(one).localeCompare(orderOf(other)));
}

function orderOf({ name, id }: NamedActorResponse): string {
  return name === null ? `2 ${id}` : `1 ${name}`;
}
