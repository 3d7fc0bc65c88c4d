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

/** Items by a key, in their order; those without a key are left out. */
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
