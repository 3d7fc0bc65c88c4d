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

/** The advisory lock of whichever process fans out. */
export const FAN_OUT_LOCK = 7_310_002;
const BATCH_SIZE = 256;
/**
 * How long it rests when it has seen all that happened, in milliseconds: what happens meanwhile costs one
 * look instead of one each.
 */
const REST_MILLISECONDS = 50;
/**
 * How long endpoints that are behind wait for the next look, so that deliveries leave the machine to
 * requests.
 */
const REST_WHILE_BEHIND_MILLISECONDS = 100;
/** How many events each endpoint that is behind gets at one look. */
const EVENTS_WHILE_BEHIND = 25;

/** What fanning out needs. */
export interface FanOutParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly mint: IdMint;
  /** The published events of recorded ones, and the notices for admins. */
  readonly publicEventsOf: (events: readonly RecordedEvent[]) => readonly LoggedEvent[];
  readonly noticesOf: (events: readonly RecordedEvent[]) => readonly Notice[];
  /** Brings the endpoints' table up to these events, before it is asked who gets them. */
  readonly projectEndpoints: (events: readonly RecordedEvent[]) => Promise<void>;
  /**
   * Called when this process begins to lead: the previous leader may have died before it added the jobs of
   * deliveries that it made.
   */
  readonly onLeading: () => Promise<void>;
  /** Called for deliveries that were made. */
  readonly onQueued: (due: readonly DueDelivery[]) => Promise<void>;
  /** Called for an endpoint that has more waiting than it may, and takes nothing. */
  readonly onStopped: () => void;
  readonly onError: (error: unknown) => void;
}

/**
 * Follows all events and makes their deliveries: one for each endpoint and event (contract part 6). Two
 * steps, so that no endpoint delays another: what happened is kept, with the checkpoint, in one statement;
 * then each endpoint gets its deliveries up to its own cursor, as far as it has room. One process at a time
 * works; a crash anywhere is made good by the next.
 */
export class FanOut {
  /** Organisations with endpoints that have not got all that happened: they had no room, or it was much. */
  private readonly behind = new Set<string>();
  /** Wakes the loop that serves them. */
  private readonly fallenBehind = new Waker();
  /** How often something was kept of an organisation that is behind. */
  private readonly kept = new Map<string, number>();
  /** `performance.now()` when this process began to lead. */
  private leadingSince = Infinity;

  constructor(private readonly parts: FanOutParts) {}

  /** Runs until the signal; resolves when what was in progress is finished. */
  run(signal: AbortSignal): Promise<void> {
    return lead(this.parts, FAN_OUT_LOCK, signal, async (term) => {
      this.leadingSince = performance.now();
      // The previous leader may have kept events and ended before their deliveries were made.
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

  /**
   * Keeps what happened of interest. Gives the organisations that have endpoints and to which something did.
   */
  private async keep(batch: readonly RecordedEvent[]): Promise<ReadonlySet<string>> {
    await this.parts.projectEndpoints(batch);
    // First, because to name what is published costs more than to ask who would get it.
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

  /** Of an organisation that is behind, only takes note that there is more. */
  private isLeftToCatchUp(organisationId: string): boolean {
    if (!this.behind.has(organisationId)) return false;
    this.kept.set(organisationId, (this.kept.get(organisationId) ?? 0) + 1);
    return true;
  }

  /** With a rest before each look: what is behind is a burst, or waits for a receiver. */
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
    const before = this.kept.get(organisationId);
    const { due, isBehind, hasStopped } = await queueForOrganisation(this.parts.pool, this.parts.mint, organisationId, {
      mayStop,
      ...(limit === undefined ? {} : { most: limit }),
    });
    // What was kept after the look began is not in it.
    if (isBehind || this.kept.get(organisationId) !== before) {
      this.fallBehind(organisationId);
    } else {
      this.behind.delete(organisationId);
      this.kept.delete(organisationId);
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
