import type { ServerWritableStream } from '@grpc/grpc-js';
import type streams from '@eventstore/db-client/generated/streams_pb.js';

/** A message of a read; an event's is encoded. */
export type ReadMessage = streams.ReadResp | Buffer;

/** A call that sends a stream of messages. */
export type ReadCall = ServerWritableStream<streams.ReadReq, ReadMessage>;

/** Writes to a call at the speed at which its client reads the messages. */
export class Outlet {
  private goOn: (() => void) | null = null;
  private closed = false;

  constructor(private readonly call: ReadCall) {
    call.on('drain', () => this.goOn?.());
    for (const ending of ['cancelled', 'close', 'error']) call.on(ending, () => this.close());
  }

  get isClosed(): boolean {
    return this.closed;
  }

  /** Stops all output and releases every waiting writer. */
  close(): void {
    this.closed = true;
    this.goOn?.();
  }

  /** Returns a promise only where the client must read first. */
  write(message: ReadMessage): Promise<void> | undefined {
    if (this.closed || this.call.write(message)) return undefined;
    return new Promise((resolve) => {
      this.goOn = resolve;
    });
  }
}
