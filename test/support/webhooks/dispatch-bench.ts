import type { AttemptResult, Claimed } from '#webhooks/deliver/delivery-store.js';
import type { Concurrency } from '#webhooks/deliver/dispatch/concurrency.js';
import { Dispatcher } from '#webhooks/deliver/dispatch/dispatcher.js';
import type { LaneKey } from '#webhooks/deliver/dispatch/lane.js';
import type { WakeSignal } from '#webhooks/queue/wake-signal-queue.js';
import { VirtualTime } from './virtual-time.js';

const POOL = { slots: 8, reserved: 2, share: 1, organisation: 6 };
const CONCURRENCY: Concurrency = {
  lanes: { unproven: { first: 2, later: 1 }, prompt: { first: 4, later: 2 }, slow: { first: 1, later: 1 } },
  organisation: { slots: 8, reserved: 2, share: 1 },
  pools: {
    first: POOL,
    later: POOL,
    unproven: POOL,
    slow: { ...POOL, slots: 4 },
    lingering: { slots: 20, reserved: 0, share: 0, organisation: 12 },
  },
  lingerMilliseconds: 1_000,
  slowMilliseconds: 3_000,
};
/** The result of an attempt without an answer. */
export const NO_ANSWER = {
  outcome: 'failed',
  httpStatus: null,
  failureClass: 'network',
  failureMessage: 'no answer within 15 s',
  pauseMs: 60_000,
} as const;
/** Free slots are filled within this time. */
export const SOON = 5;

/** A dispatcher whose receivers answer when the test decides, and whose clock belongs to the test. */
export class Bench {
  readonly time = new VirtualTime();
  readonly begun: string[] = [];
  readonly recorded: string[] = [];
  readonly claims: number[] = [];
  readonly errors: unknown[] = [];
  readonly looks: { readonly lane: LaneKey; readonly held: readonly string[] }[] = [];
  private readonly answers = new Map<string, { readonly startedAt: number; readonly give: (result: Partial<AttemptResult>) => void }>();
  readonly dispatcher = new Dispatcher({
    claim: async (wakeSignal) => this.claim(wakeSignal),
    attempt: (claimed) =>
      new Promise((resolve) => {
        this.begun.push(claimed.deliveryId);
        const startedAt = this.time.now;
        const give = (result: Partial<AttemptResult>): void => {
          const usual = {
            claimed,
            outcome: 'delivered',
            httpStatus: 200,
            failureClass: null,
            failureMessage: null,
            durationMs: this.time.now - startedAt,
            pauseMs: null,
          } as const;
          resolve({ ...usual, ...result });
        };
        this.answers.set(claimed.deliveryId, { startedAt, give });
      }),
    record: async ({ claimed }) => {
      if (claimed.deliveryId === this.unrecordable) throw new Error('not recorded');
      this.recorded.push(claimed.deliveryId);
    },
    more: async (lane, held) => {
      this.looks.push({ lane, held });
      return this.more(lane);
    },
    onError: (error) => this.errors.push(error),
    concurrency: CONCURRENCY,
    after: this.time.after,
  });
  claim = async ({ organisationId, webhookId, deliveryIds }: WakeSignal): Promise<readonly Claimed[]> => {
    this.claims.push(deliveryIds.length);
    return deliveryIds.map((deliveryId) => ({ organisationId, webhookId, deliveryId }) as Claimed);
  };
  /** The delivery whose result cannot be written. */
  unrecordable: string | null = null;
  more = (_: LaneKey): WakeSignal | null => null;

  async offer(webhookId: string, count: number, more: Partial<WakeSignal> = {}): Promise<void> {
    const deliveryIds = Array.from({ length: count }, (_, index) => `${webhookId}${more.isAgain === true ? 'again' : ''}${index}`);
    this.dispatcher.offer({ organisationId: 'acme', webhookId, deliveryIds, ...more });
    await this.time.pass(SOON);
  }

  /** Answers all attempts in progress for this endpoint. */
  async answer(webhookId: string, result: Partial<AttemptResult> = {}): Promise<void> {
    for (const [id, { give }] of [...this.answers]) {
      if (!id.startsWith(webhookId)) continue;
      this.answers.delete(id);
      give(result);
    }
    await this.time.pass(SOON);
  }

  /** Lets receivers of these endpoints answer once, each to one delivery. */
  async prove(...webhookIds: readonly string[]): Promise<void> {
    for (const webhookId of webhookIds) {
      this.dispatcher.offer({ organisationId: 'elsewhere', webhookId, deliveryIds: [`${webhookId} proof`] });
      await this.time.settle();
      await this.answer(webhookId);
    }
    this.begun.length = this.recorded.length = this.claims.length = 0;
  }

  inFlight(webhookId: string): number {
    return [...this.answers.keys()].filter((id) => id.startsWith(webhookId)).length;
  }

  get all(): number {
    return this.answers.size;
  }
}
