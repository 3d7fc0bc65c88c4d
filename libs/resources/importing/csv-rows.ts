/** A row of a file, with the line where it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** Why the line is no CSV; missing where it is. Such a row has no cells. */
  readonly issue?: string;
}

/** The issue of a row whose thing another row of the file names as well. */
export function issueOfRepeat(otherLine: number): string {
  return `is on line ${otherLine} as well: a file names it once`;
}

/** Batches of a stream of rows. */
export async function* batchesOf<T>(rows: AsyncIterable<T>, size: number): AsyncGenerator<readonly T[]> {
  let batch: T[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
