import type { AttemptResult, Claimed } from './delivery-store.js';
import type { DeliveryHint } from './hint-queue.js';

/** Attempts at once of this process. */
export interface Concurrency {
  /** First attempts to one endpoint; half as many later ones beside them. */
  readonly endpoint: number;
  readonly organisation: number;
  /** For first attempts to receivers that answer in time. */
  readonly prompt: number;
  /** For everything else: later attempts, and receivers that were slow or did not answer. */
  readonly patient: number;
  /** To one endpoint that was slow or did not answer, in place of `endpoint`. */
  readonly slowEndpoint: number;
}

export const USUAL_CONCURRENCY: Concurrency = { endpoint: 20, organisation: 80, prompt: 200, patient: 100, slowEndpoint: 2 };

/** What dispatching stands on. */
export interface DispatcherParts {
  readonly claim: (hint: DeliveryHint) => Promise<readonly Claimed[]>;
  /** Never rejects: what goes wrong is a result. */
  readonly attempt: (claimed: Claimed) => Promise<AttemptResult>;
  /** Resolves when the result is durable. */
  readonly record: (result: AttemptResult) => Promise<void>;
  readonly onError: (error: unknown) => void;
  readonly concurrency?: Concurrency;
  /** A receiver that takes longer to answer, in milliseconds, is a slow one until it answers sooner. */
  readonly slowMilliseconds?: number;
}

/** Deliveries of one endpoint that are still to be claimed: first attempts or later ones. */
interface Lane {
  readonly key: string;
  readonly organisationId: string;
  readonly webhookId: string;
  readonly isAgain: boolean;
  /** In the order in which they came. */
  readonly ids: Set<string>;
}

const SLOW_MILLISECONDS = 3_000;
/** Places that become free within so long are filled together, by one claim. */
const REFILL_MILLISECONDS = 5;

/**
 * Sends what hints tell of. Every endpoint has lanes of its own, so that a receiver that hangs delays nobody else: it keeps
 * at most its own few places busy, and they are not those of receivers that answer. Nothing here has to last: what is in memory
 * is in the table too, and the sweep finds it again.
 */
export class Dispatcher {
  private readonly lanes = new Map<string, Lane>();
  private readonly running = new Map<string, number>();
  private readonly slow = new Set<string>();
  private readonly underWay = new Set<Promise<void>>();
  private readonly concurrency: Concurrency;
  private refill: NodeJS.Timeout | null = null;
  private isStopping = false;

  constructor(private readonly parts: DispatcherParts) {
    this.concurrency = parts.concurrency ?? USUAL_CONCURRENCY;
  }

  /** Takes note of deliveries; they are attempted as soon as there is a place. */
  offer({ organisationId, webhookId, deliveryIds, isAgain = false }: DeliveryHint): void {
    if (this.isStopping) return;
    const key = `${webhookId} ${isAgain}`;
    const lane = this.lanes.get(key) ?? { key, organisationId, webhookId, isAgain, ids: new Set<string>() };
    this.lanes.set(key, lane);
    for (const id of deliveryIds) lane.ids.add(id);
    this.pump(lane);
  }

  /** How many deliveries wait here for a place. */
  get waiting(): number {
    return [...this.lanes.values()].reduce((sum, { ids }) => sum + ids.size, 0);
  }

  /** Begins nothing more, and resolves when every attempt under way has been recorded. */
  async stop(): Promise<void> {
    this.isStopping = true;
    if (this.refill !== null) clearTimeout(this.refill);
    this.lanes.clear();
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private pump(lane: Lane): void {
    const places = Math.min(lane.ids.size, this.freePlaces(lane));
    if (places <= 0 || this.isStopping) return;
    const ids: string[] = [];
    for (const id of lane.ids) {
      if (ids.length === places) break;
      ids.push(id);
    }
    for (const id of ids) lane.ids.delete(id);
    if (lane.ids.size === 0) this.lanes.delete(lane.key);
    const pool = this.poolOf(lane);
    const counters = [endpointCounter(lane), `organisation ${lane.organisationId}`, pool];
    for (const counter of counters) this.add(counter, places);
    const release = (count: number): void => {
      for (const counter of counters) this.add(counter, -count);
    };
    const work = this.attempt(lane, ids, release).catch(this.parts.onError);
    this.underWay.add(work);
    void work.finally(() => {
      this.underWay.delete(work);
      this.refillSoon();
    });
  }

  private async attempt(lane: Lane, deliveryIds: readonly string[], release: (count: number) => void): Promise<void> {
    let held = deliveryIds.length;
    try {
      const claimed = await this.parts.claim({ organisationId: lane.organisationId, webhookId: lane.webhookId, deliveryIds });
      release(held - claimed.length);
      held = claimed.length;
      await Promise.all(
        claimed.map(async (delivery) => {
          const result = await this.parts.attempt(delivery);
          this.learn(lane.webhookId, result);
          held -= 1;
          release(1);
          this.refillSoon();
          await this.parts.record(result);
        }),
      );
    } finally {
      release(held);
    }
  }

  private learn(webhookId: string, { durationMs, failureClass }: AttemptResult): void {
    if (failureClass === 'network' || durationMs > (this.parts.slowMilliseconds ?? SLOW_MILLISECONDS)) this.slow.add(webhookId);
    else this.slow.delete(webhookId);
  }

  private refillSoon(): void {
    if (this.lanes.size === 0 || this.isStopping) return;
    this.refill ??= setTimeout(() => {
      this.refill = null;
      this.pumpAll();
    }, REFILL_MILLISECONDS);
  }

  private pumpAll(): void {
    for (const lane of [...this.lanes.values()]) {
      this.pump(lane);
      // Whoever was looked at goes to the end, so that free places go round.
      if (this.lanes.get(lane.key) === lane && this.lanes.size > 1) {
        this.lanes.delete(lane.key);
        this.lanes.set(lane.key, lane);
      }
    }
  }

  private freePlaces(lane: Lane): number {
    const { endpoint, organisation, slowEndpoint } = this.concurrency;
    const pool = this.poolOf(lane);
    // First attempts keep half of an endpoint's places, whatever is to be tried again.
    const ofEndpoint = this.slow.has(lane.webhookId) ? slowEndpoint : lane.isAgain ? Math.ceil(endpoint / 2) : endpoint;
    return Math.min(
      ofEndpoint - this.count(endpointCounter(lane)),
      organisation - this.count(`organisation ${lane.organisationId}`),
      this.concurrency[pool] - this.count(pool),
    );
  }

  private poolOf(lane: Lane): 'prompt' | 'patient' {
    return lane.isAgain || this.slow.has(lane.webhookId) ? 'patient' : 'prompt';
  }

  private count(counter: string): number {
    return this.running.get(counter) ?? 0;
  }

  private add(counter: string, count: number): void {
    const sum = this.count(counter) + count;
    if (sum === 0) this.running.delete(counter);
    else this.running.set(counter, sum);
  }
}

function endpointCounter({ webhookId, isAgain }: Lane): string {
  return `endpoint ${webhookId} ${isAgain}`;
}
