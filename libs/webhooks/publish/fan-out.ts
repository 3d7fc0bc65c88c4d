import type { Pool } from 'pg';
import type { EventStore, RecordedEvent } from '#event-store/event-store.js';
import { Waker } from '#event-store/waker.js';
import { partsOfStream } from '#kernel/aggregate.js';
import type { IdMint } from '#identifiers/id-mint.js';
import { lead, pause } from '#projections/leadership.js';
import type { LoggedEvent } from '../deliver/envelope.js';
import { followedUpTo, keepEvents, organisationsWithEndpoints } from './event-log.js';
import type { DueDelivery } from '../deliver/delivery-queues.js';
import type { Notice } from './notices.js';
import { inSpans } from './fan-out-spans.js';
import { laggingOrganisations, OVERLOAD_SECONDS, queueForOrganisation } from './queue-deliveries.js';

/** The advisory lock of the process that fans out. */
export const FAN_OUT_LOCK = 7_310_002;
const BATCH_SIZE = 256;
/**
 * The pause after all events are handled, in milliseconds: events recorded in it cost one query together.
 */
const REST_MILLISECONDS = 50;
/** The pause before the next round for endpoints that are behind, so that requests get capacity. */
const REST_WHILE_BEHIND_MILLISECONDS = 100;
/** The number of events per endpoint that is behind in one round. */
const EVENTS_WHILE_BEHIND = 25;

/** The dependencies of the fan-out. */
export interface FanOutParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly mint: IdMint;
  /** Maps recorded events to published events and to notices for admins. */
  readonly publicEventsOf: (events: readonly RecordedEvent[]) => readonly LoggedEvent[];
  readonly noticesOf: (events: readonly RecordedEvent[]) => readonly Notice[];
  /** Projects these events into the endpoints' table, before subscriptions are read from it. */
  readonly projectEndpoints: (events: readonly RecordedEvent[]) => Promise<void>;
  /**
   * Called when this process becomes the leader: the previous leader may have died before it added the jobs
   * of its deliveries.
   */
  readonly onLeading: () => Promise<void>;
  /** Called for created deliveries. */
  readonly onQueued: (due: readonly DueDelivery[]) => Promise<void>;
  /** Called for an endpoint that has more waiting deliveries than allowed, and accepts nothing. */
  readonly onStopped: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Follows all events and creates their deliveries: one per endpoint and event (contract part 6). Two steps,
 * so that no endpoint delays another: the events are stored with the checkpoint, in one statement; then each
 * endpoint gets its deliveries up to its own cursor, as far as it has room. One process at a time works; the
 * next one completes the work after a crash.
 */
export class FanOut {
  /** Organisations with endpoints that are behind, for lack of room or because of many events. */
  private readonly behind = new Set<string>();
  /** Wakes the loop that serves them. */
  private readonly fallenBehind = new Waker();
  /** The number of times that events of an organisation that is behind were stored. */
  private readonly storedFor = new Map<string, number>();
  /** `performance.now()` when this process became the leader. */
  private leadingSince = Infinity;

  constructor(private readonly parts: FanOutParts) {}

  /** Runs until the signal aborts; resolves when the work in progress is complete. */
  run(signal: AbortSignal): Promise<void> {
    return lead(this.parts, FAN_OUT_LOCK, signal, async (term) => {
      this.leadingSince = performance.now();
      // The previous leader may have stored events and ended before it created their deliveries.
      for (const organisation of await laggingOrganisations(this.parts.pool)) this.fallBehind(organisation);
      const ended = new AbortController();
      const either = AbortSignal.any([term, ended.signal]);
      try {
        await Promise.all([
          this.parts.onLeading().catch(this.parts.onError),
          this.follow(either),
          this.catchUp(either),
        ]);
      } finally {
        ended.abort();
      }
    });
  }

  private async follow(signal: AbortSignal): Promise<void> {
    const after = await followedUpTo(this.parts.pool);
    for await (const batch of this.parts.eventStore.subscribe({ after, signal, batchSize: BATCH_SIZE })) {
      const organisations = await this.keep(batch);
      const upToDate = [...organisations].filter((organisation) => !this.isLeftToCatchUp(organisation));
      await Promise.all(upToDate.map((organisation) => this.queue(organisation)));
      if (batch.length < BATCH_SIZE) await pause(REST_MILLISECONDS, signal);
    }
  }

  /** Stores the events of interest. Returns the organisations that have endpoints and new events. */
  private async keep(batch: readonly RecordedEvent[]): Promise<ReadonlySet<string>> {
    await this.parts.projectEndpoints(batch);
    // First, because mapping to published events costs more than finding the organisations with endpoints.
    const organisations = await organisationsWithEndpoints(this.parts.pool, [...new Set(batch.map(organisationOf))]);
    const events = this.parts.publicEventsOf(batch.filter((event) => organisations.has(organisationOf(event))));
    await inSpans(events, (traced) =>
      keepEvents(this.parts.pool, {
        events: traced,
        notices: this.parts.noticesOf(batch),
        position: batch.at(-1)!.position,
      }),
    );
    return new Set(events.map(({ organisationId }) => organisationId));
  }

  /** For an organisation that is behind, only records that there are more events. */
  private isLeftToCatchUp(organisationId: string): boolean {
    if (!this.behind.has(organisationId)) return false;
    this.storedFor.set(organisationId, (this.storedFor.get(organisationId) ?? 0) + 1);
    return true;
  }

  /**
   * Serves endpoints that are behind, with a pause before each round: a burst or a slow receiver takes time.
   */
  private async catchUp(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const seen = this.fallenBehind.count;
      if (this.behind.size === 0) await this.fallenBehind.sleep(seen, Infinity, signal);
      await pause(REST_WHILE_BEHIND_MILLISECONDS, signal);
      for (const organisation of [...this.behind])
        if (!signal.aborted) await this.queue(organisation, EVENTS_WHILE_BEHIND);
    }
  }

  private async queue(organisationId: string, limit?: number): Promise<void> {
    const mayStop = performance.now() - this.leadingSince > OVERLOAD_SECONDS * 1_000;
    const before = this.storedFor.get(organisationId);
    const { due, isBehind, hasStopped } = await queueForOrganisation(this.parts.pool, this.parts.mint, organisationId, {
      mayStop,
      ...(limit === undefined ? {} : { most: limit }),
    });
    // Events stored after the round began are not in it.
    if (isBehind || this.storedFor.get(organisationId) !== before) {
      this.fallBehind(organisationId);
    } else {
      this.behind.delete(organisationId);
      this.storedFor.delete(organisationId);
    }
    if (hasStopped) this.parts.onStopped();
    if (due.length > 0) await this.parts.onQueued(due);
  }

  private fallBehind(organisationId: string): void {
    this.behind.add(organisationId);
    this.fallenBehind.wake();
  }
}

function organisationOf({ stream }: RecordedEvent): string {
  return partsOfStream(stream).organisationId;
}
