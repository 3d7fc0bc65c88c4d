/** The maximum number of items of one batch. */
const MAX_ITEMS = 64;
/** The maximum number of characters of one batch, unless its first item alone has more. */
const MAX_CHARACTERS = 1_000_000;

/** How to run batches of items. */
export interface BatchWork<Item, Result> {
  /**
   * Items of one lane run one batch after the other; a lane never waits for another one. All items have one
   * lane by default.
   */
  readonly laneOf?: (item: Item) => string;
  /**
   * Two items that share one of these names never run in one batch. By default any items may share a batch.
   */
  readonly aloneBy?: (item: Item) => readonly string[];
  /** The size of an item; by default only the number of items limits a batch. */
  readonly charactersOf?: (item: Item) => number;
  /** The maximum number of items of one batch; 64 by default. */
  readonly most?: number;
  /**
   * Returns the result of each item, in their order. If it throws, every item of the batch fails with that
   * error.
   */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Runs the waiting items of a lane as one batch as soon as the previous batch has ended. No item waits for
 * more items to arrive: an item that finds its lane idle runs within the same turn of the event loop, with
 * the others that came in that turn.
 */
export class BatchQueue<Item, Result> {
  private readonly lanes = new Map<string, Waiting<Item, Result>[]>();

  constructor(private readonly work: BatchWork<Item, Result>) {}

  /** Adds an item, and resolves with its result. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const name = this.work.laneOf?.(item) ?? '';
      const lane = this.lanes.get(name);
      if (lane !== undefined) {
        lane.push({ item, resolve, reject });
        return;
      }
      this.lanes.set(name, [{ item, resolve, reject }]);
      setImmediate(() => void this.drain(name));
    });
  }

  private async drain(name: string): Promise<void> {
    const lane = this.lanes.get(name)!;
    while (lane.length > 0) await this.runBatch(this.takeBatch(lane));
    this.lanes.delete(name);
  }

  private async runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.work.run(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  /** Takes items from the front of a lane, so that they keep their order. */
  private takeBatch(lane: Waiting<Item, Result>[]): readonly Waiting<Item, Result>[] {
    const { aloneBy, charactersOf, most: limit = MAX_ITEMS } = this.work;
    const taken = new Set<string>();
    let characters = 0;
    let count = 0;
    for (const { item } of lane) {
      const alone = aloneBy?.(item) ?? [];
      characters += charactersOf?.(item) ?? 0;
      const fits = count < limit && characters <= MAX_CHARACTERS && !alone.some((name) => taken.has(name));
      if (count > 0 && !fits) break;
      for (const name of alone) taken.add(name);
      count += 1;
    }
    return lane.splice(0, count);
  }
}
