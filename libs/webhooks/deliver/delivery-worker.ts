import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { BatchQueue } from '#kernel/batch-queue.js';
import { attempt } from './attempt.js';
import { type AttemptResult, claim, type Claimed, noteNotAttempted, record, type Recorded, type Wanted } from './delivery-store.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { dueOfLane } from './due-deliveries.js';
import type { WakeSignal, WakeSignalQueue } from '../queue/wake-signal-queue.js';
import { ResultWriter } from './result-writer.js';
import type { Sender } from '../send/sender.js';
import { sweep } from './sweep.js';
import type { WebhookSecrets } from '../send/webhook-secrets.js';

/** What delivering needs. */
export interface DeliveryWorkerParts {
  readonly pool: Pool;
  readonly queue: WakeSignalQueue;
  readonly sender: Sender;
  readonly secrets: WebhookSecrets;
  /** Called for every attempt that was recorded. */
  readonly onRecorded: (result: AttemptResult, recorded: Recorded) => void;
  /** Called for an endpoint that has failed too often. */
  readonly onStopped: () => void;
  readonly onError: (error: unknown) => void;
}

/** Lanes whose deliveries are claimed together at most: two hundred deliveries of receivers that answer in time. */
const LANES_AT_ONCE = 10;
/** After so many claims of this process the table has as many rows: no plan scans it any more, and one that is kept saves half of a small claim. */
const CLAIMS_BEFORE_PLAN = 1_000;
/** How often other processes are notified of a lane that is crowded. */
const CALL_FOR_HELP_MILLISECONDS = 5_000;
/** Bounds the memory. Of an endpoint that is forgotten other processes are notified once more. */
const REMEMBERED_CALLS = 10_000;

/** Attempts the deliveries that wake signals name, on any number of processes at once. */
export class DeliveryWorker {
  /** The lanes and attempts of this process. */
  readonly dispatcher: Dispatcher;
  private readonly writer: ResultWriter;
  private readonly claims: BatchQueue<Wanted, readonly Claimed[]>;
  /** Endpoints that other processes were notified of lately, with the first delivery that the wake signal named. */
  private readonly called = new LRUCache<string, string>({ max: REMEMBERED_CALLS, ttl: CALL_FOR_HELP_MILLISECONDS });
  private claimed = 0;
  private receiver: { stop(): Promise<void> } | null = null;

  constructor(private readonly parts: DeliveryWorkerParts) {
    const { pool, onError } = parts;
    this.writer = new ResultWriter((results) => this.write(results));
    this.claims = new BatchQueue({ most: LANES_AT_ONCE, run: (wanted) => this.claimTogether(wanted) });
    this.dispatcher = new Dispatcher({
      claim: (wanted) => this.claims.add(wanted),
      attempt: (claimed) => this.attempt(claimed),
      record: async (result) => {
        const recorded = await this.writer.record(result);
        if (recorded !== undefined) parts.onRecorded(result, recorded);
      },
      more: (lane, held) => dueOfLane(pool, lane, held),
      onError,
    });
  }

  /** Begins to take wake signals. */
  async start(): Promise<void> {
    this.receiver = await this.parts.queue.receive((wakeSignal) => {
      if (!this.isOwnCall(wakeSignal)) this.dispatcher.offer(wakeSignal);
    });
  }

  /**
   * Takes deliveries that this process has just made, without the queue. Where more of an endpoint wait than this process attempts at the same
   * time, it notifies another process at most every five seconds, which then reads from the table what nobody has claimed.
   */
  async take(wakeSignals: readonly WakeSignal[]): Promise<void> {
    for (const wakeSignal of wakeSignals) this.dispatcher.offer(wakeSignal);
    const calls = wakeSignals.filter(({ organisationId, webhookId, deliveryIds }) => {
      if (this.called.has(webhookId) || !this.dispatcher.isCrowded({ organisationId, webhookId, isAgain: false })) return false;
      this.called.set(webhookId, deliveryIds[0]!);
      return true;
    });
    if (calls.length > 0) await this.announce(calls.map((call) => ({ ...call, hasMore: true })));
  }

  /** Hands wake signals to the queue; where that cannot be reached, this process takes them itself. */
  async announce(wakeSignals: readonly WakeSignal[]): Promise<void> {
    try {
      await this.parts.queue.send(wakeSignals);
    } catch (error) {
      this.parts.onError(error);
      for (const wakeSignal of wakeSignals) this.dispatcher.offer(wakeSignal);
    }
  }

  /** Announces the due deliveries of every lane that this process is not working on. */
  async sweep(): Promise<void> {
    for await (const wakeSignals of sweep(this.parts.pool, this.dispatcher.lanesAtWork())) await this.announce(wakeSignals);
  }

  /** Takes no more wake signals, and resolves when every attempt in progress has been recorded. What waits goes to other processes. */
  async stop(): Promise<void> {
    await this.receiver?.stop();
    const left = await this.dispatcher.stop();
    if (left.length > 0) await this.parts.queue.send(left).catch(this.parts.onError);
    await this.parts.sender.close();
  }

  private async claimTogether(wanted: readonly Wanted[]): Promise<readonly (readonly Claimed[])[]> {
    const claims = await claim(this.parts.pool, wanted, this.claimed >= CLAIMS_BEFORE_PLAN);
    this.claimed += claims.flat().length;
    return claims;
  }

  /** Whether the queue has brought a call for help back to the process that made it, which holds those deliveries and would look for them in the table. */
  private isOwnCall({ webhookId, deliveryIds, hasMore = false }: WakeSignal): boolean {
    return hasMore && this.called.get(webhookId) === deliveryIds[0];
  }

  /** An attempt rejects for a fault of ours alone, such as a signing secret that cannot be opened: the receiver is not to blame. */
  private async attempt(claimed: Claimed): Promise<AttemptResult> {
    const { pool, sender, secrets } = this.parts;
    try {
      return await attempt({ sender, secrets, random: Math.random }, claimed);
    } catch (error) {
      await noteNotAttempted(pool, claimed);
      throw error;
    }
  }

  private async write(results: readonly AttemptResult[]): Promise<readonly Recorded[]> {
    const { recorded, hasStopped } = await record(this.parts.pool, results);
    if (hasStopped) this.parts.onStopped();
    return recorded;
  }
}
