import { BatchQueue } from './batch-queue.js';

interface Item {
  readonly lane: string;
  readonly name: string;
  readonly characters?: number;
}

/** The batches that have started, each with the function that ends it. */
class Runs {
  readonly begun: (readonly string[])[] = [];
  private readonly ends: ((error?: Error) => void)[] = [];
  readonly queue = new BatchQueue<Item, string>({
    laneOf: ({ lane }) => lane,
    aloneBy: ({ name }) => [name],
    charactersOf: ({ characters = 1 }) => characters,
    run: (items) =>
      new Promise((resolve, reject) => {
        this.begun.push(items.map(({ name }) => name));
        this.ends.push((error) =>
          error === undefined ? resolve(items.map(({ name }) => `${name} done`)) : reject(error),
        );
      }),
  });

  add(lane: string, name: string, characters?: number): Promise<string> {
    return this.queue.add({ lane, name, ...(characters === undefined ? {} : { characters }) });
  }

  end(run: number, error?: Error): void {
    this.ends[run]!(error);
  }
}

/** Resolves when the event loop has run all due work. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('a batch', () => {
  it('contains all items of one turn of the event loop, and gives each its own result', async () => {
    const runs = new Runs();
    const results = Promise.all([runs.add('a', '1'), runs.add('a', '2'), runs.add('a', '3')]);
    await turn();
    expect(runs.begun).toEqual([['1', '2', '3']]);
    runs.end(0);
    expect(await results).toEqual(['1 done', '2 done', '3 done']);
  });

  it('contains all items that were added while the previous batch ran, and starts as soon as that has ended', async () => {
    const runs = new Runs();
    const first = runs.add('a', '1');
    await turn();
    const others = [runs.add('a', '2'), runs.add('a', '3')];
    await turn();
    expect(runs.begun).toEqual([['1']]);
    runs.end(0);
    await first;
    await turn();
    expect(runs.begun).toEqual([['1'], ['2', '3']]);
    runs.end(1);
    expect(await Promise.all(others)).toEqual(['2 done', '3 done']);
  });

  it('of one lane waits for no other lane', async () => {
    const runs = new Runs();
    const hanging = runs.add('a', '1');
    await turn();
    const other = runs.add('b', '2');
    await turn();
    expect(runs.begun).toEqual([['1'], ['2']]);
    runs.end(1);
    expect(await other).toBe('2 done');
    runs.end(0);
    await hanging;
  });

  it('never contains two items of one name; the second and all behind it wait, in their order', async () => {
    const runs = new Runs();
    const all = ['1', '1', '2'].map((name) => runs.add('a', name));
    await turn();
    expect(runs.begun).toEqual([['1']]);
    runs.end(0);
    await all[0];
    await turn();
    expect(runs.begun[1]).toEqual(['1', '2']);
    runs.end(1);
    await Promise.all(all);
  });

  it('contains at most 64 items, and a million characters unless one item alone has more', async () => {
    const runs = new Runs();
    const many = Array.from({ length: 65 }, (_, index) => runs.add('a', String(index)));
    const long = [runs.add('b', 'x', 2_000_000), runs.add('b', 'y', 600_000), runs.add('b', 'z', 600_000)];
    await turn();
    expect(runs.begun.map(({ length }) => length)).toEqual([64, 1]);
    for (let run = 0; run < 5; run += 1) {
      runs.end(run);
      await turn();
    }
    expect(runs.begun.map(({ length }) => length)).toEqual([64, 1, 1, 1, 1]);
    await Promise.all([...many, ...long]);
  });

  it('that fails rejects all its items, and the next batch of the lane runs', async () => {
    const runs = new Runs();
    const failed = Promise.allSettled([runs.add('a', '1'), runs.add('a', '2')]);
    await turn();
    runs.end(0, new Error('broken'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const next = runs.add('a', '1');
    await turn();
    runs.end(1);
    expect(await next).toBe('1 done');
  });
});
