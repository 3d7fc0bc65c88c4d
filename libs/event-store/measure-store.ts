import { Counter, Histogram, type Registry } from 'prom-client';
import {
  type Appended,
  type EventStore,
  InstantAheadError,
  StoreUnavailableError,
  WrongExpectedRevisionError,
} from './event-store.js';
import { aroundCalls } from './forward-calls.js';

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The outcome of a call of the store. `conflict`: another writer had appended first, and the caller retries
 * the command or refuses.
 */
type Outcome = 'ok' | 'conflict' | 'unavailable' | 'failed';

/**
 * Counts and times the calls of event stores. One instance for each registry, which accepts a metric name
 * only once.
 */
export class StoreMeasurements {
  private readonly calls: Counter<'call' | 'outcome'>;
  private readonly appended: Counter<'repeated'>;
  private readonly seconds: Histogram<'call'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.calls = new Counter({
      name: 'workforce_event_store_calls_total',
      help: 'Calls of the event store, by outcome',
      labelNames: ['call', 'outcome'],
      registers,
    });
    this.appended = new Counter({
      name: 'workforce_event_store_appends_total',
      help: 'Successful appends, by whether an earlier attempt had already recorded them',
      labelNames: ['repeated'],
      registers,
    });
    this.seconds = new Histogram({
      name: 'workforce_event_store_call_duration_seconds',
      help: 'Duration of calls of the event store in seconds',
      labelNames: ['call'],
      buckets: SECONDS,
      registers,
    });
  }

  /** The same store with metrics. */
  of(store: EventStore): EventStore {
    return aroundCalls(store, async (name, call, appends) => {
      const result = await this.measure(
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        call,
      );
      if (appends.length === 0) return result;
      const outcomes = [result].flat() as readonly (Appended | Error)[];
      for (const outcome of outcomes)
        if (!(outcome instanceof Error)) this.appended.inc({ repeated: String(outcome.repeated) });
      return result;
    });
  }

  private async measure<Result>(call: string, work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    let outcome: Outcome = 'ok';
    try {
      return await work();
    } catch (error) {
      // An instant in the future is not a failure of the store.
      if (error instanceof InstantAheadError) throw error;
      outcome =
        error instanceof WrongExpectedRevisionError
          ? 'conflict'
          : error instanceof StoreUnavailableError
            ? 'unavailable'
            : 'failed';
      throw error;
    } finally {
      this.calls.inc({ call, outcome });
      this.seconds.observe({ call }, (performance.now() - startedAt) / 1_000);
    }
  }
}
