import { createHash } from 'node:crypto';
import type { Pool } from 'pg';

/**
 * With the time of a response, less than a second, so that the effects of a crash or of another process are
 * found within a second.
 */
const PERIOD_MILLISECONDS = 900;

/**
 * The answer to a question, as text; null if the query returns null, undefined if the database did not
 * answer.
 */
export type State = string | null | undefined;

/** A question for the database. */
export interface Question {
  /** A cheap query of one value of any type, without parameters. */
  readonly text: string;
}

interface Watcher {
  readonly text: string;
  readonly onState: (state: State) => void;
}

const watches = new WeakMap<Pool, StateWatch>();

/**
 * Queries the database every 900 ms for state that is not announced otherwise, in one statement for the whole
 * process, for any number of its parts. It runs while it has a watcher, and does not keep the process alive.
 */
export class StateWatch {
  private readonly watchers = new Set<Watcher>();
  private timer: NodeJS.Timeout | undefined;
  private isAsking = false;

  private constructor(private readonly pool: Pool) {}

  /** The watch of the process over this pool. */
  static of(pool: Pool): StateWatch {
    const watch = watches.get(pool) ?? new StateWatch(pool);
    watches.set(pool, watch);
    return watch;
  }

  /** Calls the listener with each answer, changed or not. Returns a function that stops this. */
  add({ text }: Question, onState: (state: State) => void): () => void {
    const watcher = { text, onState };
    this.watchers.add(watcher);
    if (this.watchers.size === 1) this.timer = setInterval(() => void this.ask(), PERIOD_MILLISECONDS).unref();
    return () => {
      this.watchers.delete(watcher);
      if (this.watchers.size === 0) clearInterval(this.timer);
    };
  }

  /** One statement at a time: a slow server gets no more queries. */
  private async ask(): Promise<void> {
    if (this.isAsking) return;
    this.isAsking = true;
    const watchers = [...this.watchers];
    const states = await this.statesOf([...new Set(watchers.map(({ text }) => text))]).catch(() => null);
    this.isAsking = false;
    for (const watcher of watchers) {
      // It may have ended meanwhile.
      if (this.watchers.has(watcher)) watcher.onState(states?.get(watcher.text));
    }
  }

  private async statesOf(questions: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    const text = `select ${questions.map((question) => `(${question})::text`).join(', ')}`;
    // A name for each set of questions, so that a connection plans the statement once.
    const name = `state-watch-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
    const { rows } = await this.pool.query<(string | null)[]>({ name, text, rowMode: 'array' });
    return new Map(questions.map((question, index) => [question, rows[0]![index]!]));
  }
}

/** Resolves when a question of {@link StateWatch} is answered with true, or when the signal aborts. */
export function untilTrue(pool: Pool, question: Question, signal: AbortSignal): Promise<void> {
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
