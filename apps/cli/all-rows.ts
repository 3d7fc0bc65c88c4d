const ROWS_AT_ONCE = 1_000;

/** A row of a list in the order of creation. */
interface ListedRow {
  readonly id: string;
  readonly created_at: Date;
}

/** All rows of a list in the order of creation, which is read page by page. */
export async function allRows<Row extends ListedRow>(
  read: (page: {
    readonly after: { readonly createdAt: string; readonly time: string; readonly id: string } | null;
    readonly count: number;
  }) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const all: Row[] = [];
  for (;;) {
    const last = all.at(-1);
    const time = last?.created_at.toISOString() ?? '';
    const after = last === undefined ? null : { createdAt: time, time, id: last.id };
    const rows = await read({ after, count: ROWS_AT_ONCE });
    all.push(...rows);
    if (rows.length < ROWS_AT_ONCE) return all;
  }
}
