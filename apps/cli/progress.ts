import { SingleBar } from 'cli-progress';

/** Shows the progress of a long piece of work on a terminal. */
export interface Progress {
  /** Units done so far; `total` if that has become known or has changed. */
  update(done: number, total?: number): void;
  stop(): void;
}

/**
 * Returns a progress bar on standard error. It is hidden if standard error is not a terminal, and with
 * `quiet` (as for `--json`).
 */
export function showProgress(label: string, total: number, unit: string, quiet = false): Progress {
  const bar = barOf(`${label} {bar} {percentage} % · {value} of {total} ${unit} · {eta_formatted} left`, quiet);
  bar?.start(total, 0);
  return {
    update: (done, newTotal) => {
      if (newTotal !== undefined) bar?.setTotal(newTotal);
      bar?.update(done);
    },
    stop: () => bar?.stop(),
  };
}

function barOf(format: string, quiet: boolean): SingleBar | null {
  if (quiet || !process.stderr.isTTY) return null;
  return new SingleBar({ format, stream: process.stderr, hideCursor: true, clearOnComplete: false });
}

/** The speed of a rebuild, and the time that it still needs. */
export interface Rate {
  readonly events: number;
  readonly rows: number;
  /** 0 if it is not known. */
  readonly expectedRows: number;
  readonly eventsPerSecond: number;
  /** Null if it is not known. */
  readonly secondsLeft: number | null;
}

/**
 * The progress bar of a rebuild: events, events per second, and the remaining time for filling the tables;
 * otherwise as {@link showProgress}.
 */
export function showRate(label: string, quiet = false): { update(at: Rate): void; stop(): void } {
  const bar = barOf(`${label} {bar} {percentage} % · {events} events · {rate}/s · {left}`, quiet);
  bar?.start(1, 0, { events: 0, rate: 0, left: '' });
  return {
    update: ({ events, rows, expectedRows, eventsPerSecond, secondsLeft }) => {
      bar?.setTotal(Math.max(expectedRows, rows, 1));
      bar?.update(rows, { events, rate: Math.round(eventsPerSecond), left: remaining(secondsLeft) });
    },
    stop: () => bar?.stop(),
  };
}

function remaining(seconds: number | null): string {
  return seconds === null ? 'remaining time not known' : `${Math.ceil(seconds)} s left, then indexes and comparison`;
}
