/** The reason for which a server stops: a signal, or the failure of a necessary part. */
export interface StopReason {
  readonly reason: string;
  /** 0 if a signal asked it to stop. */
  readonly exitCode: number;
}

/** Waits for the reason to stop a server. */
export interface StopSignal {
  /** Settles once, with the first reason. */
  readonly requested: Promise<StopReason>;
  isRequested(): boolean;
  /** Asks for a stop from within the program. */
  request(reason: StopReason): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Conventional exit code of a process that Ctrl-C ended. */
const INTERRUPTED = 130;

/**
 * The exit code that a shell reports for a process that a signal ended: 128 plus the number of the signal.
 */
const ENDED_BY = { SIGINT: INTERRUPTED, SIGTERM: 143, SIGHUP: 129 } as const;

let isListening = false;

/**
 * Ends the process immediately at a signal, until {@link listenForStop} is called. That is the default
 * action, except for the first process of a container, which ignores signals. Acknowledged writes are
 * recorded; running the same command again completes its work.
 */
export function endOnSignals(): void {
  if (isListening) return;
  isListening = true;
  for (const signal of SIGNALS) process.on(signal, endBySignal);
}

function endBySignal(signal: (typeof SIGNALS)[number]): void {
  process.exit(ENDED_BY[signal]);
}

/**
 * Listens for the signals that stop a server. A second signal ends the process immediately. PostgreSQL then
 * gets a signal from the system, or the next start shuts it down.
 */
export function listenForStop(): StopSignal {
  let settle: (reason: StopReason) => void = () => undefined;
  const requested = new Promise<StopReason>((resolve) => {
    settle = resolve;
  });
  let isRequested = false;
  const request = (reason: StopReason): void => {
    isRequested = true;
    settle(reason);
  };
  for (const signal of SIGNALS) {
    process.off(signal, endBySignal);
    process.on(signal, () => {
      if (isRequested) process.exit(INTERRUPTED);
      request({ reason: signal, exitCode: 0 });
    });
  }
  return { requested, isRequested: () => isRequested, request };
}
