import type { Pool } from 'pg';
import { SNAPSHOT, type State, StateWatch } from './state-watch.js';

const ONLY_SNAPSHOT = `select ${SNAPSHOT}::text`;

/** A database whose snapshot and whose one answer the test sets. */
class Database {
  snapshot = '1';
  answer: string | null = '7';
  isAway = false;
  readonly statements: string[] = [];
  readonly pool = { query: (statement: { text: string }) => this.query(statement) } as unknown as Pool;

  private async query({ text }: { text: string }): Promise<{ rows: unknown[] }> {
    this.statements.push(text);
    if (this.isAway) throw new Error('away');
    return { rows: [text === ONLY_SNAPSHOT ? [this.snapshot] : [this.snapshot, this.answer]] };
  }
}

describe('what the watch asks, and what it concludes', () => {
  let database: Database;
  let states: State[];
  let end: () => void;

  const start = (dependsOnTime: boolean): void => {
    end = StateWatch.of(database.pool).add({ text: 'select answer', dependsOnTime }, (state) => states.push(state));
  };
  /** Whether each of the next rounds asked the whole question; a round is a list where it sent several statements. */
  const rounds = async (count: number): Promise<(boolean | boolean[])[]> => {
    const asked: (boolean | boolean[])[] = [];
    for (let round = 0; round < count; round++) {
      database.statements.length = 0;
      await jest.advanceTimersByTimeAsync(900);
      const whole = database.statements.map((text) => text !== ONLY_SNAPSHOT);
      asked.push(whole.length === 1 ? whole[0]! : whole);
    }
    return asked;
  };

  beforeEach(() => {
    jest.useFakeTimers();
    database = new Database();
    states = [];
  });
  afterEach(() => {
    end();
    jest.useRealTimers();
  });

  it('asks for the snapshot alone once two were the same, and tells the answer that it knows', async () => {
    start(false);
    expect(await rounds(4)).toEqual([true, true, false, false]);
    expect(states).toEqual(['7', '7', '7', '7']);
  });

  it('asks everything in the round that finds another snapshot, and in one statement while snapshots differ', async () => {
    start(false);
    await rounds(3);
    [database.snapshot, database.answer] = ['2', '8'];
    expect(await rounds(1)).toEqual([[false, true]]);
    expect(states.at(-1)).toBe('8');
    [database.snapshot, database.answer] = ['3', '9'];
    expect(await rounds(1)).toEqual([true]);
    expect(states.at(-1)).toBe('9');
  });

  it('asks in every round what time alone may change, unless the answer is null', async () => {
    start(true);
    expect(await rounds(3)).toEqual([true, true, true]);
    database.answer = null;
    expect(await rounds(2)).toEqual([true, false]);
  });

  it('asks everything when the database is back, and when somebody asks something new', async () => {
    start(false);
    await rounds(3);
    database.isAway = true;
    await rounds(2);
    expect(states.slice(-2)).toEqual([undefined, undefined]);
    database.isAway = false;
    expect(await rounds(2)).toEqual([true, true]);
    await rounds(1);
    const answers: State[] = [];
    const endOther = StateWatch.of(database.pool).add({ text: 'select other' }, (state) => answers.push(state));
    expect(await rounds(1)).toEqual([true]);
    expect(answers).toHaveLength(1);
    endOther();
  });
});
