import { type QueryKey, useInfiniteQuery, type UseInfiniteQueryResult, type InfiniteData } from '@tanstack/react-query';

interface Page<Item> {
  readonly data: readonly Item[];
  readonly pagination: { readonly next_cursor?: string | null };
}

interface Options<Item> {
  readonly enabled?: boolean;
  /**
   * How often what was read is read again, in milliseconds, given the items that were read; false for never.
   */
  readonly refetchInterval?: (items: readonly Item[]) => number | false;
  /** Shows what was read for another key until this one is. */
  readonly keepsPrevious?: boolean;
}

/** A list that is read a page at a time. */
export type Pages<Item> = UseInfiniteQueryResult<InfiniteData<Page<Item>>> & {
  /** The items of the pages that were read. */
  readonly items: readonly Item[];
};

/**
 * Reads a list a page at a time.
 *
 * @param read requests the page after a cursor; the first one with an empty object
 */
export function usePages<Item>(
  queryKey: QueryKey,
  read: (after: { readonly cursor?: string }) => Promise<Page<Item>>,
  { enabled = true, refetchInterval, keepsPrevious = false }: Options<Item> = {},
): Pages<Item> {
  const list = useInfiniteQuery<Page<Item>, Error, InfiniteData<Page<Item>>, QueryKey, string | null>({
    queryKey,
    queryFn: ({ pageParam: cursor }) => read(cursor === null ? {} : { cursor }),
    initialPageParam: null,
    getNextPageParam: (page) => page.pagination.next_cursor || null,
    enabled,
    ...(refetchInterval === undefined ? {} : { refetchInterval: ({ state }) => refetchInterval(itemsOf(state.data)) }),
    ...(keepsPrevious ? { placeholderData: (former) => former } : {}),
  });
  return { ...list, items: itemsOf(list.data) };
}

function itemsOf<Item>(data: InfiniteData<Page<Item>> | undefined): readonly Item[] {
  return data?.pages.flatMap((page) => page.data) ?? [];
}
