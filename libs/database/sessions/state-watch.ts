import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { onPulse } from './pulse.js';

/** A state of the database as text; null where the question has none, undefined where the database did not answer. */
export type State = string | null | undefined;

/**
 * Every transaction that writes, when it ends, changes this text, and so do a restart and a failover: while it stays the same, no query
 * of tables has another answer (PostgreSQL's documentation of `pg_snapshot`).
 */
export const SNAPSHOT = `(pg_current_snapshot() || ' ' || pg_postmaster_start_time())`;

/** A question to the database. */
export interface Question {
  /** A cheap query of one value of any type, without parameters. */
  readonly text: string;
  /** Whether time alone may change the answer; it must not where the answer is null. False where not given. */
  readonly dependsOnTime?: boolean;
}

interface Watcher {
  readonly question: Question;
  readonly onState: (state: State) => void;
}

/** What the database answered, as of one snapshot. */
interface Answers {
  readonly snapshot: string;
  readonly states: ReadonlyMap<string, string | null>;
}

const watches = new WeakMap<Pool, StateWatch>();

/**
 * Asks the database at every pulse for what nothing else announces, in one statement for the whole process, however many parts of it
 * ask. Once nothing was written between two of them, it only asks whether anything was written. It runs while somebody watches, and does
 * not keep the process alive.
 */
export class StateWatch {
  private readonly watchers = new Set<Watcher>();
  private endPulse: (() => void) | null = null;
  private asking: Promise<void> | null = null;
  private last: Answers | null = null;
  private isQuiet = false;

  private constructor(private readonly pool: Pool) {}

  /** The watch of the process over this pool. */
  static of(pool: Pool): StateWatch {
    const watch = watches.get(pool) ?? new StateWatch(pool);
    watches.set(pool, watch);
    return watch;
  }

  /** Calls the listener with each answer, changed or not. Returns the function that ends this. */
  add(question: Question, onState: (state: State) => void): () => void {
    const watcher = { question, onState };
    this.watchers.add(watcher);
    this.endPulse ??= onPulse(() => this.ask());
    return () => {
      this.watchers.delete(watcher);
      if (this.watchers.size > 0) return;
      this.endPulse?.();
      this.endPulse = null;
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
    const states = await this.statesOf(asked.map(({ question }) => question)).catch(() => null);
    for (const watcher of asked) {
      // It may have ended meanwhile.
      if (this.watchers.has(watcher)) watcher.onState(states?.get(watcher.question.text));
    }
  }

  private async statesOf(questions: readonly Question[]): Promise<Answers['states']> {
    const { last } = this;
    this.last = null;
    const isQuiet = this.isQuiet && last !== null && questions.every((question) => isSettled(question, last));
    const answers = isQuiet && (await this.readSnapshot()) === last.snapshot ? last : await this.readAll(questions);
    this.isQuiet = answers.snapshot === last?.snapshot;
    this.last = answers;
    return answers.states;
  }

  private async readAll(questions: readonly Question[]): Promise<Answers> {
    const texts = [...new Set(questions.map(({ text }) => text))];
    const text = `select ${SNAPSHOT}::text${texts.map((question) => `, (${question})::text`).join('')}`;
    const name = `state-watch-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
    const [snapshot, ...states] = await this.readRow({ name, text });
    return { snapshot: snapshot!, states: new Map(texts.map((question, index) => [question, states[index]!])) };
  }

  private async readSnapshot(): Promise<string> {
    const [snapshot] = await this.readRow({ name: 'state-watch-snapshot', text: `select ${SNAPSHOT}::text` });
    return snapshot!;
  }

  private async readRow(statement: { readonly name: string; readonly text: string }): Promise<readonly (string | null)[]> {
    const { rows } = await this.pool.query({ ...statement, rowMode: 'array' });
    return rows[0] as (string | null)[];
  }
}

/** Whether the answer to a question stays as it is until something is written. */
function isSettled({ text, dependsOnTime }: Question, { states }: Answers): boolean {
  const state = states.get(text);
  return state === null || (state !== undefined && dependsOnTime !== true);
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
