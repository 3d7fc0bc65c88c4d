import type { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { EventStore } from '#event-store/event-store.js';
import type { JobQueue } from '#jobs/job-engine.js';
import type { Clock } from '#kernel/clock.js';

/** The dependencies of jobs. */
export interface JobParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly clock: Clock;
  /** Runs the commands of jobs. */
  readonly commands: CommandBus;
  readonly long: LongWork;
  /** The queue of requested work. */
  readonly longRunning: Pick<JobQueue, 'add'>;
  /** Aborts when the process stops. */
  readonly signal: AbortSignal;
}

/** The database for long-running work. */
export interface LongWork {
  readonly databaseUrl: string;
  /** Opens the event store over connections without a statement timeout, for one rebuild or verification. */
  readonly openEventStore: (pool: Pool) => Promise<EventStore>;
}

/**
 * The result of a requested job: `later` if it is left to another attempt, soon and perhaps in another
 * process.
 */
export type Outcome = 'ended' | 'later';
