/** Calls the work once, after so many milliseconds; what it gives cancels that. Tests put a clock of their own in its place. */
export type After = (milliseconds: number, work: () => void) => () => void;

/** By the machine's clock. */
export const afterOnMachine: After = (milliseconds, work) => {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
};
