/** Calls the work once, after so many milliseconds; what it gives cancels that. Tests put a clock of their own in its place. */
export type After = (milliseconds: number, work: () => void) => () => void;

/** By the machine's clock. */
export const afterOnMachine: After = (milliseconds, work) => {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
};

/**
 * Does one work after the other, each so many milliseconds after now, in rising order; what it gives cancels those that are still
 * to come.
 */
export function inStages(after: After, stages: readonly (readonly [milliseconds: number, work: () => void])[]): () => void {
  let cancel = (): void => undefined;
  const wait = (index: number, passed: number): void => {
    const stage = stages[index];
    if (stage === undefined) return;
    const [milliseconds, work] = stage;
    cancel = after(milliseconds - passed, () => {
      wait(index + 1, milliseconds);
      work();
    });
  };
  wait(0, 0);
  return () => cancel();
}
