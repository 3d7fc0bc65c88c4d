import type { Part } from './backend.js';

const RETRY_MILLISECONDS = 500;
/**
 * The time limit of closing once no work of this process is in progress: an unavailable backend must not
 * block a stop.
 */
const CLOSE_MILLISECONDS = 2_000;

/**
 * Recreates a part of BullMQ until it has become ready once. From then on the part itself reconnects to the
 * backend.
 */
export class Reconnecting<Inner, Source = unknown> {
  private part: Part<Inner> | null = null;
  private hasBegun = false;
  private ready = false;
  private ending = false;
  private retry: NodeJS.Timeout | undefined;
  private readonly waiting = new Set<{ resolve(inner: Inner): void; reject(error: Error): void }>();

  /**
   * @param open resolves with the source of parts, such as a backend
   * @param report receives the errors of connections until the close; errors of a connection that is being
   * closed are dropped
   */
  constructor(
    private readonly open: () => Promise<Source>,
    private readonly create: (source: Source, onError: (error: Error) => void) => Part<Inner>,
    private readonly report: (error: Error) => void,
  ) {}

  /** Null until it has been ready once. The first call starts to open it. */
  current(): Inner | null {
    if (!this.hasBegun && !this.ending) void this.begin();
    this.hasBegun = true;
    return this.ready ? this.part!.inner : null;
  }

  /** Resolves when it has been ready once, however long that takes. Rejects if it is closed before. */
  whenReady(): Promise<Inner> {
    const current = this.current();
    if (current !== null) return Promise.resolve(current);
    if (this.ending) return Promise.reject(new Error('closed before it was ready'));
    return new Promise((resolve, reject) => this.waiting.add({ resolve, reject }));
  }

  /**
   * Closes cleanly if the backend is available; `finished` resolves when no work of the caller is in
   * progress.
   */
  async close(finished: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    this.ending = true;
    clearTimeout(this.retry);
    for (const { reject } of this.waiting) reject(new Error('closed before it was ready'));
    const part = this.part;
    if (part === null) return;
    const closed = settled(part.close());
    await Promise.race([closed, finished().then(() => within(CLOSE_MILLISECONDS, closed))]);
    part.abandon();
  }

  private readonly reportError = (error: Error): void => {
    if (!this.ending) this.report(error);
  };

  private async begin(): Promise<void> {
    let part: Part<Inner> | null = null;
    try {
      const source = await this.open();
      if (this.ending) return;
      part = this.create(source, this.reportError);
      this.part = part;
      await part.waitUntilReady();
      this.ready = true;
      for (const { resolve } of this.waiting) resolve(part.inner);
      this.waiting.clear();
    } catch (error) {
      part?.abandon();
      if (this.ending) return;
      this.reportError(error instanceof Error ? error : new Error(String(error)));
      this.retry = setTimeout(() => void this.begin(), RETRY_MILLISECONDS);
    }
  }
}

/** Resolves when the promise has settled, either way. */
function settled(promise: Promise<unknown>): Promise<void> {
  return promise.then(
    () => undefined,
    () => undefined,
  );
}

/** Resolves when the promise has settled or the time is over. */
async function within(milliseconds: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise, over]);
  clearTimeout(timer);
}
