/** The expected version of an append or a deletion. */
export type Expected = 'any' | 'no_stream' | 'stream_exists' | bigint;

/** An event that a client proposes. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Buffer;
  readonly metadata: Buffer;
}

/** An event in the log. What it says is in its message alone. */
export interface LoggedEvent {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: bigint;
  /** A byte offset: rising, but not contiguous. */
  readonly position: bigint;
  /** The event as readers receive it, encoded once: see `event-message.ts`. */
  readonly message: Buffer;
}
