import { SingleBar } from 'cli-progress';

/** How far a long piece of work is, shown on a terminal. */
export interface Progress {
  /** Units done so far, out of `total` where that has become known or has changed. */
  update(done: number, total?: number): void;
  stop(): void;
}

/** A bar on standard error where that is a terminal and `quiet` (as for `--json`) is not asked for; else nothing. */
export function showProgress(label: string, total: number, unit: string, quiet = false): Progress {
  if (quiet || !process.stderr.isTTY) return { update: () => undefined, stop: () => undefined };
  const bar = new SingleBar({
    format: `${label} {bar} {percentage} % · {value} of {total} ${unit} · {eta_formatted} left`,
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: false,
  });
  bar.start(total, 0);
  return {
    update: (done, newTotal) => {
      if (newTotal !== undefined) bar.setTotal(newTotal);
      bar.update(done);
    },
    stop: () => bar.stop(),
  };
}
