/** The waiting callers; each resumes in its own turn of the event loop. */
const waiting: (() => void)[] = [];

/**
 * Resolves in a turn of the event loop in which no other caller resumes. For steps of work that take
 * milliseconds, such as reading megabytes of a request: with `setImmediate` the steps of all requests share
 * one turn, and a dozen of them delay a database response until its timeout.
 */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(admit);
  });
}

function admit(): void {
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(admit);
}
