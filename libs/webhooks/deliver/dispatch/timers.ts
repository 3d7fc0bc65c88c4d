/** Calls `work` once after a number of milliseconds. Returns a function that cancels the call. Tests substitute a virtual clock. */
export type After = (milliseconds: number, work: () => void) => () => void;

/** Uses the clock of the machine. */
export const afterOnMachine: After = (milliseconds, work) => {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
};

/**
 * Calls several functions one after another, each a number of milliseconds from now.
 *
 * @param stages - in ascending order of time
 * @returns a function that cancels the calls that are still to come
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
