import type { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import type { JobQueue } from '#jobs/job-engine.js';
import type { Clock } from '#kernel/clock.js';

/** What jobs work with. */
export interface JobParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly clock: Clock;
  /** Takes the commands of what jobs record. */
  readonly commands: CommandBus;
  readonly long: LongWork;
  /** Where work that was asked for is queued. */
  readonly longRunning: Pick<JobQueue, 'add'>;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
}

/** The database for work that takes long. */
export interface LongWork {
  readonly databaseUrl: string;
  /**
   * Opens the event store over connections without a limit for statements, for the time of one rebuild or
   * verification.
   */
  readonly openEventStore: (pool: Pool) => Promise<EventStore>;
}

/**
 * How a job that was asked for ended: `later` where it is left to another attempt, soon and perhaps in
 * another process.
 */
export type Outcome = 'ended' | 'later';
