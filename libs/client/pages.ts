/** A page of a list (contract part 1, "Pagination"). */
export interface Page<Item> {
  readonly data: readonly Item[];
  /** Absent if the list has only one page. */
  readonly pagination?: { readonly next_cursor?: string | null };
}

/**
 * Reads a list from its first page to its last, without reading ahead: the next is requested when the items
 * of this one are used up.
 *
 * @param read requests the page that follows a cursor; the first one without
 * @example for await (const person of pages((cursor) => client.GET('/people',
 *   { params: { query: { cursor } } }))) …
 */
export async function* pages<Item>(
  read: (cursor: string | undefined) => Promise<{ readonly data?: Page<Item> }>,
): AsyncGenerator<Item, void, undefined> {
  for (let cursor: string | undefined; ;) {
    const { data: page } = await read(cursor);
    if (page === undefined) throw new TypeError('a page has no body');
    yield* page.data;
    const next = page.pagination?.next_cursor;
    if (next === undefined || next === null || next === '') return;
    cursor = next;
  }
}
