/** A page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[];
  /** Absent if the list has only one page. */
  readonly pagination?: { readonly next_cursor?: string | null };
}

/**
 * Yields the items of a list from its first page to its last. Each page is requested when the items of the
 * page before it are used up.
 *
 * @param read - requests the page after a cursor, and the first page if the cursor is undefined
 * @example for await (const person of pages((cursor) => client.GET('/people',
 *   { params: { query: { cursor } } }))) …
 */
export async function* pages<Item>(
  read: (cursor: string | undefined) => Promise<{ readonly data?: Page<Item> }>,
): AsyncGenerator<Item, void, undefined> {
  for (let cursor: string | undefined; ;) {
    const { data: page } = await read(cursor);
    if (page === undefined) throw new TypeError('the response with the page has no body');
    yield* page.data;
    const next = page.pagination?.next_cursor;
    if (next === undefined || next === null || next === '') return;
    cursor = next;
  }
}
