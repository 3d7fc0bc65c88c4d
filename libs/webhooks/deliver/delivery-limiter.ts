import type { Job } from 'bullmq';
import type { DeliveryJobData } from './delivery-queues.js';
import type { Receivers } from './receivers.js';

/** The maximum number of concurrent attempts of a process. */
export interface LimiterSize {
  /** To an endpoint whose last attempt was answered in time, and to any other endpoint. */
  readonly prompt: number;
  readonly other: number;
  /** To all endpoints of an organisation. */
  readonly organisation: number;
  /**
   * The maximum number of jobs of an endpoint, and of all endpoints, that wait in this process for a slot;
   * further ones are parked in the queue.
   */
  readonly waiting: number;
  readonly allWaiting: number;
}

interface Endpoint {
  running: number;
  readonly waiting: Set<(mayRun: boolean) => void>;
  readonly parked: Map<string, Job<DeliveryJobData>>;
}

interface Organisation {
  running: number;
  readonly endpoints: Map<string, Endpoint>;
}

/** A receiver that answers in time frees a slot within this time. */
const WAIT_MILLISECONDS = 1_000;
/**
 * The delay of a parked job: a minimum, and a part per parked job, so that re-checks stay below fifty a
 * second.
 */
const PARKED_MILLISECONDS = { least: 15_000, each: 20 } as const;

/**
 * Limits the attempts to each endpoint and organisation in this process. Jobs without a slot wait briefly,
 * and are then parked: delayed in the queue, and promoted when a slot is free. All state is in memory and may
 * be lost: parked jobs return when their delay ends.
 */
export class DeliveryLimiter {
  private readonly organisations = new Map<string, Organisation>();
  private waiting = 0;
  private parked = 0;
  private isStopping = false;

  constructor(
    private readonly size: LimiterSize,
    private readonly receivers: Receivers,
  ) {}

  /** Attempts in flight, and jobs parked by this process. */
  get counts(): { readonly inFlight: number; readonly parked: number } {
    return {
      inFlight: [...this.organisations.values()].reduce((sum, { running }) => sum + running, 0),
      parked: this.parked,
    };
  }

  /** Resolves with whether the job may run; a job that runs must then {@link leave}. */
  enter(job: Job<DeliveryJobData>): Promise<boolean> {
    const { organisation, endpoint } = this.of(job.data);
    if (endpoint.parked.delete(job.id!)) this.parked -= 1;
    if (this.hasRoom(organisation, endpoint, job.data.webhookId))
      return Promise.resolve(this.take(organisation, endpoint));
    const isFull = endpoint.waiting.size >= this.size.waiting || this.waiting >= this.size.allWaiting;
    if (isFull || this.isStopping || this.receivers.behaviourOf(job.data.webhookId) === 'slow')
      return Promise.resolve(false);
    this.waiting += 1;
    return new Promise((resolve) => {
      const end = (mayRun: boolean): void => {
        clearTimeout(timer);
        endpoint.waiting.delete(end);
        this.waiting -= 1;
        resolve(mayRun);
      };
      const timer = setTimeout(() => end(false), WAIT_MILLISECONDS);
      endpoint.waiting.add(end);
    });
  }

  leave(data: DeliveryJobData): void {
    const { organisation, endpoint } = this.of(data);
    organisation.running -= 1;
    endpoint.running -= 1;
    this.fill(data.organisationId, organisation);
  }

  /** The delay in milliseconds of a job that got no slot. */
  get parkMilliseconds(): number {
    return this.isStopping ? 0 : Math.max(PARKED_MILLISECONDS.least, this.parked * PARKED_MILLISECONDS.each);
  }

  /** Records a job that was delayed because it got no slot. */
  park(job: Job<DeliveryJobData>): void {
    if (this.isStopping) return;
    const { organisation, endpoint } = this.of(job.data);
    if (!endpoint.parked.has(job.id!)) this.parked += 1;
    endpoint.parked.set(job.id!, job);
    this.fill(job.data.organisationId, organisation);
  }

  /** Grants no more slots; waiting and parked jobs go to other processes. */
  async stop(): Promise<void> {
    this.isStopping = true;
    const endpoints = [...this.organisations.values()].flatMap((organisation) => [...organisation.endpoints.values()]);
    for (const { waiting } of endpoints) for (const end of waiting) end(false);
    await Promise.all(endpoints.flatMap(({ parked }) => [...parked.values()].map(promote)));
  }

  private fill(organisationId: string, organisation: Organisation): void {
    for (const [webhookId, endpoint] of organisation.endpoints) {
      for (const end of endpoint.waiting) {
        if (!this.hasRoom(organisation, endpoint, webhookId)) break;
        end(this.take(organisation, endpoint));
      }
      // For a prompt receiver, twice the number of ended attempts, so that all of its slots come into use.
      const limit = this.receivers.behaviourOf(webhookId) === 'prompt' ? 2 : 1;
      for (const [id, job] of [...endpoint.parked].slice(0, limit)) {
        if (!this.hasRoom(organisation, endpoint, webhookId)) break;
        endpoint.parked.delete(id);
        this.parked -= 1;
        void promote(job);
      }
      if (endpoint.running + endpoint.waiting.size + endpoint.parked.size === 0)
        organisation.endpoints.delete(webhookId);
    }
    if (organisation.endpoints.size === 0) this.organisations.delete(organisationId);
  }

  private hasRoom(organisation: Organisation, endpoint: Endpoint, webhookId: string): boolean {
    const limit = this.receivers.behaviourOf(webhookId) === 'prompt' ? this.size.prompt : this.size.other;
    return !this.isStopping && endpoint.running < limit && organisation.running < this.size.organisation;
  }

  private take(organisation: Organisation, endpoint: Endpoint): true {
    organisation.running += 1;
    endpoint.running += 1;
    return true;
  }

  private of({ organisationId, webhookId }: DeliveryJobData): { organisation: Organisation; endpoint: Endpoint } {
    const organisation = this.organisations.get(organisationId) ?? {
      running: 0,
      endpoints: new Map<string, Endpoint>(),
    };
    this.organisations.set(organisationId, organisation);
    const endpoint = organisation.endpoints.get(webhookId) ?? { running: 0, waiting: new Set(), parked: new Map() };
    organisation.endpoints.set(webhookId, endpoint);
    return { organisation, endpoint };
  }
}

/**
 * Fails if the delay has ended meanwhile or the backend is unreachable: the job then returns when its delay
 * ends.
 */
function promote(job: Job): Promise<void> {
  return job.promote().catch(() => undefined);
}
