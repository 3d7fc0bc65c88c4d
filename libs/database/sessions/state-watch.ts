import { createHash } from 'node:crypto';
import type { Pool } from 'pg';

/** Less than a second with an answer: what a crash or another process left is found within a second. */
const ASK_MILLISECONDS = 900;

/** A state of the database as text; null where the question has none, undefined where the database did not answer. */
export type State = string | null | undefined;

interface Watcher {
  readonly question: string;
  readonly onState: (state: State) => void;
}

const watches = new WeakMap<Pool, StateWatch>();

/**
 * Asks the database every 900 ms for what nothing else announces, in one statement for the whole process, however many parts of it
 * ask. It runs while somebody watches, and does not keep the process alive.
 */
export class StateWatch {
  private readonly watchers = new Set<Watcher>();
  private timer: NodeJS.Timeout | null = null;
  private asking: Promise<void> | null = null;

  private constructor(private readonly pool: Pool) {}

  /** The watch of the process over this pool. */
  static of(pool: Pool): StateWatch {
    const watch = watches.get(pool) ?? new StateWatch(pool);
    watches.set(pool, watch);
    return watch;
  }

  /**
   * Calls the listener with each answer, changed or not.
   *
   * @param question - a cheap query of one value of any type, without parameters
   * @returns the function that ends this
   */
  add(question: string, onState: (state: State) => void): () => void {
    const watcher = { question, onState };
    this.watchers.add(watcher);
    this.timer ??= setInterval(() => this.ask(), ASK_MILLISECONDS).unref();
    return () => {
      this.watchers.delete(watcher);
      if (this.watchers.size > 0 || this.timer === null) return;
      clearInterval(this.timer);
      this.timer = null;
    };
  }

  /** One statement at a time: a server that is slow is not asked more often. */
  private ask(): void {
    this.asking ??= this.askOnce().finally(() => {
      this.asking = null;
    });
  }

  private async askOnce(): Promise<void> {
    const asked = [...this.watchers];
    const questions = [...new Set(asked.map(({ question }) => question))];
    const states = await this.read(questions).catch(() => null);
    for (const watcher of asked) {
      // It may have ended meanwhile.
      if (this.watchers.has(watcher)) watcher.onState(states?.[questions.indexOf(watcher.question)]);
    }
  }

  private async read(questions: readonly string[]): Promise<readonly (string | null)[]> {
    const text = `select ${questions.map((question) => `(${question})::text`).join(', ')}`;
    const name = `state-watch-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
    const { rows } = await this.pool.query({ name, text, rowMode: 'array' });
    return rows[0] as (string | null)[];
  }
}

/** Resolves when a question of {@link StateWatch} is answered with true, or when the signal aborts. */
export function untilTrue(pool: Pool, question: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const endWatch = StateWatch.of(pool).add(question, (state) => {
      if (state === 'true') done();
    });
    function done(): void {
      endWatch();
      signal.removeEventListener('abort', done);
      resolve();
    }
    signal.addEventListener('abort', done, { once: true });
  });
}
