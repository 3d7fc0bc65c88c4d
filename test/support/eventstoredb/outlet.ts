import type { ServerWritableStream } from '@grpc/grpc-js';
import type streams from '@eventstore/db-client/generated/streams_pb.js';

/** A call that sends a stream of messages. */
export type ReadCall = ServerWritableStream<streams.ReadReq, streams.ReadResp>;

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

  /** Resolves when the client can read more. */
  async write(message: streams.ReadResp): Promise<void> {
    if (this.closed || this.call.write(message)) return;
    await new Promise<void>((resolve) => {
      this.goOn = resolve;
    });
  }
}
