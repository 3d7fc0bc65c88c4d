import { Counter, Histogram, type Registry } from 'prom-client';
import { type Appended, type EventStore, InstantAheadError, StoreUnavailableError, WrongExpectedRevisionError } from './event-store.js';
import { ForwardingEventStore } from './forwarding-event-store.js';

const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What a call of the store came to. `conflict`: somebody else had appended first, and the caller decides again or refuses. */
type Outcome = 'ok' | 'conflict' | 'unavailable' | 'failed';

/** Counts and times the calls of event stores. One for a registry: it takes a name once. */
export class StoreMeasurements {
  private readonly calls: Counter<'call' | 'outcome'>;
  private readonly appended: Counter<'repeated'>;
  private readonly seconds: Histogram<'call'>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.calls = new Counter({
      name: 'workforce_event_store_calls_total',
      help: 'Calls of the event store, by what came of them',
      labelNames: ['call', 'outcome'],
      registers,
    });
    this.appended = new Counter({
      name: 'workforce_appends_total',
      help: 'Appends that landed, by whether an earlier attempt had recorded them already',
      labelNames: ['repeated'],
      registers,
    });
    this.seconds = new Histogram({
      name: 'workforce_event_store_call_seconds',
      help: 'Seconds that calls of the event store took',
      labelNames: ['call'],
      buckets: SECONDS,
      registers,
    });
  }

  /** The same store, measured. */
  of(store: EventStore): EventStore {
    return new MeasuredStore(store, this);
  }

  /** Counts appends that landed. */
  countAppended(outcomes: readonly (Appended | WrongExpectedRevisionError)[]): void {
    for (const outcome of outcomes) if (!(outcome instanceof Error)) this.appended.inc({ repeated: String(outcome.repeated) });
  }

  /** Counts and times one call. */
  async measure<Result>(call: string, work: () => Promise<Result>): Promise<Result> {
    const startedAt = performance.now();
    let outcome: Outcome = 'ok';
    try {
      return await work();
    } catch (error) {
      // Nothing failed where the caller asked for an instant that has not come.
      if (error instanceof InstantAheadError) throw error;
      outcome =
        error instanceof WrongExpectedRevisionError ? 'conflict' : error instanceof StoreUnavailableError ? 'unavailable' : 'failed';
      throw error;
    } finally {
      this.calls.inc({ call, outcome });
      this.seconds.observe({ call }, (performance.now() - startedAt) / 1_000);
    }
  }
}

class MeasuredStore extends ForwardingEventStore {
  constructor(
    store: EventStore,
    private readonly measurements: StoreMeasurements,
  ) {
    super(store);
  }

  override async append(...call: Parameters<EventStore['append']>): ReturnType<EventStore['append']> {
    const appended = await this.measurements.measure('append', () => super.append(...call));
    this.measurements.countAppended([appended]);
    return appended;
  }

  override async appendMany(...call: Parameters<EventStore['appendMany']>): ReturnType<EventStore['appendMany']> {
    const outcomes = await this.measurements.measure('append_many', () => super.appendMany(...call));
    this.measurements.countAppended(outcomes);
    return outcomes;
  }

  override readStream(...call: Parameters<EventStore['readStream']>): ReturnType<EventStore['readStream']> {
    return this.measurements.measure('read_stream', () => super.readStream(...call));
  }

  override readStreams(...call: Parameters<EventStore['readStreams']>): ReturnType<EventStore['readStreams']> {
    return this.measurements.measure('read_streams', () => super.readStreams(...call));
  }

  override readAll(...call: Parameters<EventStore['readAll']>): ReturnType<EventStore['readAll']> {
    return this.measurements.measure('read_all', () => super.readAll(...call));
  }

  override readRecorded(...call: Parameters<EventStore['readRecorded']>): ReturnType<EventStore['readRecorded']> {
    return this.measurements.measure('read_recorded', () => super.readRecorded(...call));
  }

  override settle(...call: Parameters<EventStore['settle']>): ReturnType<EventStore['settle']> {
    return this.measurements.measure('settle', () => super.settle(...call));
  }

  override head(): ReturnType<EventStore['head']> {
    return this.measurements.measure('head', () => super.head());
  }
}
