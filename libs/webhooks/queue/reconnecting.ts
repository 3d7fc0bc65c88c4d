import type { Part } from './engine.js';

const RETRY_MILLISECONDS = 500;
/** What a close may take once nothing of ours is in progress: an engine that is away must not hold up a stop. */
const CLOSE_MILLISECONDS = 2_000;

/** Creates a part of BullMQ again until it has become ready once. From then on the part itself reconnects to the engine. */
export class Reconnecting<Inner> {
  private part: Part<Inner>;
  private ready = false;
  private ending = false;
  private retry: NodeJS.Timeout | undefined;

  /** @param report gets the errors of connections until the close; errors of a connection that is being closed are left out. */
  constructor(
    private readonly create: (onError: (error: Error) => void) => Part<Inner>,
    private readonly report: (error: Error) => void,
  ) {
    this.part = create(this.hear);
    this.watch();
  }

  /** Null until it has been ready once. */
  current(): Inner | null {
    return this.ready ? this.part.inner : null;
  }

  /** Resolves when it is ready or the time is over. */
  async waitUntilReady(milliseconds: number): Promise<void> {
    await settledWithin(milliseconds, this.part.waitUntilReady());
  }

  /** Closes in order where the engine is there; `finished` resolves when nothing of the caller's is in progress any more. */
  async close(finished: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    this.ending = true;
    clearTimeout(this.retry);
    const closed = this.part.close();
    await Promise.race([settled(closed), finished().then(() => settledWithin(CLOSE_MILLISECONDS, closed))]);
    this.part.abandon();
  }

  private readonly hear = (error: Error): void => {
    if (!this.ending) this.report(error);
  };

  private watch(): void {
    const part = this.part;
    part.waitUntilReady().then(
      () => {
        this.ready = true;
      },
      () => {
        part.abandon();
        if (this.ending) return;
        this.retry = setTimeout(() => {
          this.part = this.create(this.hear);
          this.watch();
        }, RETRY_MILLISECONDS);
      },
    );
  }
}

/** Resolves when the promise has settled, either way. */
function settled(promise: Promise<unknown>): Promise<void> {
  return promise.then(
    () => undefined,
    () => undefined,
  );
}

/** Resolves when the promise has settled, either way, or the time is over. */
async function settledWithin(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([settled(promise), over]);
  clearTimeout(timer);
}
