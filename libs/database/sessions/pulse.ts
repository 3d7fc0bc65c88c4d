/** Less than a second with an answer: what a crash or another process left is found within a second. */
const PULSE_MILLISECONDS = 900;

type Listener = (pulse: number) => void;

const listeners = new Set<Listener>();
let timer: NodeJS.Timeout | null = null;
let count = 0;

/**
 * Calls the listener every 900 ms with the number of the pulse, which grows by one. All that a process at rest asks its database for follows
 * this one timer, so that it wakes at the same moments. It does not keep the process alive. Returns the function that ends this.
 */
export function onPulse(listener: Listener): () => void {
  listeners.add(listener);
  timer ??= setInterval(beat, PULSE_MILLISECONDS).unref();
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

function beat(): void {
  count += 1;
  for (const listener of listeners) listener(count);
}
