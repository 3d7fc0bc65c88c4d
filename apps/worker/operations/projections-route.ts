import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import { rebuildJob, type WorkRequests } from '#jobs/requested-work.js';
import type { Clock } from '#kernel/clock.js';
import { measureLag } from '#projections/catch-up.js';
import type { RebuildStatus } from '#projections/rebuild/rebuild-progress.js';
import { listRequestedRebuilds, requestRebuild } from '#projections/rebuild/requested-rebuilds.js';
import { PROJECTIONS } from '#composition/registry.js';
import { readDatabaseStatus } from './database-status.js';
import { type OperatorRoute, Refusal } from './operator-routes.js';

/** The number of requests in the list. */
const MAX_DISPLAYED_REQUESTS = 50;

interface Parts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly clock: Clock;
  readonly work: WorkRequests | undefined;
}

/** `GET /projections`, and `POST /projections/:name/rebuild`, which requests a rebuild from the workers. */
export function projectionRoutes(parts: Parts): readonly OperatorRoute[] {
  return [
    { method: 'GET', url: '/projections', answer: () => showProjections(parts) },
    {
      method: 'POST',
      url: '/projections/:name/rebuild',
      status: 202,
      answer: async ({ params, log }) => {
        const { name } = params as { readonly name: string };
        if (!PROJECTIONS.some((projection) => projection.name === name))
          return new Refusal(404, 'There is no such projection.');
        const requested = await requestRebuild(parts.pool, name);
        if (requested === null) return new Refusal(409, `A rebuild of ${name} is already waiting or running.`);
        parts.work?.begin(rebuildJob(requested.id));
        log.info({ actor: 'operator', projection: name }, 'a rebuild was requested');
        return requested;
      },
    },
  ];
}

async function showProjections({ pool, eventStore, clock }: Parts): Promise<object> {
  const now = clock.now();
  const [lags, status, requests, head] = await Promise.all([
    measureLag({ pool, eventStore, projections: PROJECTIONS }, now),
    readDatabaseStatus(pool),
    listRequestedRebuilds(pool, MAX_DISPLAYED_REQUESTS),
    eventStore.head(),
  ]);
  const rebuilds = new Map(status.rebuilds.map((rebuild) => [rebuild.projection, rebuild]));
  return {
    as_of: now.toISOString(),
    head,
    is_led: status.isLed,
    projections: lags.map(({ name, position, seconds }, index) => ({
      name,
      position,
      lag_seconds: Math.round(seconds * 10) / 10,
      tables: PROJECTIONS[index]!.tables.map((table) => table.name),
      rebuild: rebuilds.has(name) ? progressOf(rebuilds.get(name)!) : null,
    })),
    requests,
  };
}

function progressOf({
  phase,
  events,
  rows,
  expectedRows,
  eventsPerSecond,
  secondsLeft,
  startedAt,
  updatedAt,
}: RebuildStatus): object {
  const ratio = phase === 'completing' ? 1 : expectedRows === 0 ? 0 : Math.min(1, rows / expectedRows);
  return {
    phase,
    events,
    rows,
    expected_rows: expectedRows,
    ratio: Math.round(ratio * 1_000) / 1_000,
    events_per_second: eventsPerSecond === null ? null : Math.round(eventsPerSecond),
    seconds_left: secondsLeft === null ? null : Math.round(secondsLeft),
    started_at: startedAt,
    updated_at: updatedAt,
  };
}
