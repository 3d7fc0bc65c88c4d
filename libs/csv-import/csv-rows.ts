/** A row of a file, with its first line. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
  /** The reason for which the line is not CSV; absent for valid lines. An invalid row has no cells. */
  readonly issue?: string;
}

/** The issue of a row whose subject also appears in another row. */
export function issueOfRepeat(otherLine: number): string {
  return `is also on line ${otherLine}: a file may contain it once`;
}

/** Groups items by a key, in their order; items without a key are left out. */
export function groupedBy<T, Key>(
  items: Iterable<T>,
  keyOf: (item: T) => Key | null | undefined,
): ReadonlyMap<Key, readonly T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === null || key === undefined) continue;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
