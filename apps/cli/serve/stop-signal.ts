/** Why a server stops: a signal, or something that it cannot go on without. */
export interface StopReason {
  readonly reason: string;
  /** 0 where it was asked to stop. */
  readonly exitCode: number;
}

/** Waits for whatever ends a server. */
export interface StopSignal {
  /** Settles once, with the first reason. */
  readonly requested: Promise<StopReason>;
  isRequested(): boolean;
  /** Asks for a stop from within. */
  request(reason: StopReason): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Conventional exit code of a process that Ctrl-C ended. */
const INTERRUPTED = 130;

/**
 * Listens for the signals that end a server. A second one ends the process immediately: PostgreSQL then gets a signal from the
 * system, or found by the next start.
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
    process.on(signal, () => {
      if (isRequested) process.exit(INTERRUPTED);
      request({ reason: signal, exitCode: 0 });
    });
  }
  return { requested, isRequested: () => isRequested, request };
}
