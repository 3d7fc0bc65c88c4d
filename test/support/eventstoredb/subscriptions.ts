import { randomUUID } from 'node:crypto';
import { status, type ServiceError } from '@grpc/grpc-js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import type { Appending } from './appending.js';
import type { LoggedEvent } from './events.js';
import { Outlet, type ReadCall } from './outlet.js';
import { rpcError } from './wire.js';

/** The settings of subscriptions. */
export interface SubscriptionSettings {
  /** How many events may wait for a live subscriber before it is dropped: 32 on 23.10, no limit on 24.2. */
  readonly liveBuffer: number;
}

const CHECKPOINT_UNIT = 32;

/** The open subscriptions. */
export class Subscriptions {
  private readonly open = new Set<LogSubscription>();

  constructor(readonly settings: SubscriptionSettings) {}

  get count(): number {
    return this.open.size;
  }

  add(subscription: LogSubscription): void {
    this.open.add(subscription);
    void subscription.run().finally(() => this.open.delete(subscription));
  }

  /** Ends all of them: with the error, or, for null, as if the log had an end. */
  drop(error: ServiceError | null): void {
    for (const subscription of this.open) subscription.finish(error);
  }
}

/** Returns the error of a 23.10 server for a live subscriber that is too slow. */
export function tooSlowError(): ServiceError {
  return rpcError(
    status.ABORTED,
    'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.',
  );
}

/** One subscription to the log: catches up at the subscriber's speed, then is live, with a short buffer. */
export class LogSubscription {
  private readonly buffer: LoggedEvent[] = [];
  private readonly outlet: Outlet;
  private readonly matches: (event: LoggedEvent) => boolean;
  private readonly checkpointEvery: number;
  private scanned = 0;
  private isLive = false;
  private ended = false;
  private arrived: (() => void) | null = null;

  constructor(
    private readonly appending: Appending,
    private readonly call: ReadCall,
    private next: number,
    private readonly settings: SubscriptionSettings,
  ) {
    this.outlet = new Outlet(call);
    const filter = call.request.getOptions()?.getFilter();
    this.matches = matcherOf(filter);
    this.checkpointEvery =
      filter === undefined ? 0 : CHECKPOINT_UNIT * Math.max(filter.getCheckpointintervalmultiplier(), 1);
  }

  async run(): Promise<void> {
    const { call, appending } = this;
    const stopListening = appending.log.listen((event) => this.offer(event));
    for (const ending of ['cancelled', 'close', 'error']) call.on(ending, () => this.stop());
    await this.outlet.write(
      new streams.ReadResp().setConfirmation(
        new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID()),
      ),
    );
    while (!this.ended && this.next < appending.log.events.length) {
      const read = this.send(appending.log.events[this.next++]!);
      if (read !== undefined) await read;
    }
    this.isLive = true;
    if (!this.ended) await this.outlet.write(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
    while (!this.ended) {
      const event = this.buffer.shift();
      if (event !== undefined) await this.send(event);
      else await this.arrival();
    }
    stopListening();
  }

  /** Ends the call, with or without an error. */
  finish(error: ServiceError | null): void {
    if (this.ended) return;
    this.stop();
    if (error === null) this.call.end();
    else this.call.emit('error', error);
  }

  private stop(): void {
    this.ended = true;
    this.arrived?.();
    this.outlet.close();
  }

  private arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.arrived = resolve;
    });
  }

  private offer(event: LoggedEvent): void {
    if (this.ended || !this.isLive || this.appending.faults.stalled) return;
    if (this.buffer.length >= this.settings.liveBuffer) return this.finish(tooSlowError());
    this.buffer.push(event);
    this.arrived?.();
  }

  /** Returns a promise only where the client must read first. */
  private send(event: LoggedEvent): Promise<void> | undefined {
    this.scanned += 1;
    const read = this.matches(event) ? this.outlet.write(event.message) : undefined;
    if (this.checkpointEvery === 0 || this.scanned % this.checkpointEvery !== 0) return read;
    return this.sendCheckpoint(event, read);
  }

  private async sendCheckpoint(event: LoggedEvent, read: Promise<void> | undefined): Promise<void> {
    await read;
    const position = String(event.position);
    await this.outlet.write(
      new streams.ReadResp().setCheckpoint(
        new streams.ReadResp.Checkpoint().setCommitPosition(position).setPreparePosition(position),
      ),
    );
  }
}

function matcherOf(filter: streams.ReadReq.Options.FilterOptions | undefined): (event: LoggedEvent) => boolean {
  const expression = filter?.getEventType() ?? filter?.getStreamIdentifier();
  if (filter === undefined || expression === undefined) return () => true;
  const subject = filter.hasEventType() ? (event: LoggedEvent) => event.type : (event: LoggedEvent) => event.stream;
  const prefixes = expression.getPrefixList();
  if (prefixes.length > 0) return (event) => prefixes.some((prefix) => subject(event).startsWith(prefix));
  const pattern = new RegExp(expression.getRegex());
  return (event) => pattern.test(subject(event));
}
