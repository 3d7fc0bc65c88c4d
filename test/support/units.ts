import type { Pool, PoolClient } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import type { WritingServices } from '#commands/services.js';
import { handleCommand } from '#commands/handle-command.js';
import type { CommandResult, StreamCommand } from '#commands/handle-command.js';
import type { Connections } from '#database/connection-slots.js';
import { commit } from '#commands/unit-of-work.js';
import type { EventStore } from '#event-store/event-store.js';
import type { DomainEvent } from '#kernel/aggregate.js';
import { Projector } from '#projections/projector.js';
import { eventually } from '../contract/event-store.support.js';

/**
 * Services over a store without tables, for tests of what is decided from events alone. In place of
 * PostgreSQL, connections accept every statement, find no receipt and take no lock.
 */
export function servicesWithoutTables(store: EventStore): WritingServices {
  const query = (): Promise<unknown> =>
    Promise.resolve({ command: 'COMMIT', rows: [{ outcome: 'begun', erasures: 0 }] });
  const executor = { query, connect: () => Promise.resolve({ query, release: () => undefined }), options: { max: 10 } };
  return {
    store,
    executor: executor as unknown as Connections,
    projector: new Projector([], { now: () => new Date() }),
  };
}

/** Runs one command in a unit of work of its own. Its events are recorded when it returns. */
export function runAlone<State, Event extends DomainEvent>(
  services: WritingServices,
  context: CommandContext,
  command: StreamCommand<State, Event>,
): Promise<CommandResult<State>> {
  return commit(services, context, async (within) => {
    const result = await handleCommand(services.store, within, command);
    return () => result;
  });
}

/** Waits until this many sessions of the database wait for locks. */
export async function untilAwaited(pool: Pool, count = 1): Promise<void> {
  await eventually(async () => {
    const { rows } = await pool.query<{ count: number }>(
      "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows[0]!.count >= count;
  });
}

/** Connections that are cut right before their commits, as where the process dies there. */
export function cutBeforeCommits(pool: Pool): Connections {
  const connect = async (): Promise<PoolClient> => {
    const connection = await pool.connect();
    const query = (statement: unknown, ...rest: []): unknown =>
      connection.query(
        statement === 'commit' ? 'select pg_terminate_backend(pg_backend_pid())' : (statement as string),
        ...rest,
      );
    return Object.assign(Object.create(connection) as PoolClient, {
      query,
      release: connection.release.bind(connection),
    });
  };
  return { connect, query: pool.query.bind(pool), options: pool.options } as Connections;
}
