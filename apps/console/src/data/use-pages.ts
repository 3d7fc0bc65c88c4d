import { type QueryKey, useInfiniteQuery, type UseInfiniteQueryResult, type InfiniteData } from '@tanstack/react-query';

/** A page of a list. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly pagination: { readonly next_cursor?: string | null };
}

interface Options<Item> {
  readonly enabled?: boolean;
  /** The refetch interval in milliseconds, given the items read; false for none. */
  readonly refetchInterval?: (items: readonly Item[]) => number | false;
  /** Keeps showing the data of another key until this one is read. */
  readonly keepsPrevious?: boolean;
}

/** A paginated list. */
export type Pages<Item> = UseInfiniteQueryResult<InfiniteData<Page<Item>>> & {
  /** The items of the pages read so far. */
  readonly items: readonly Item[];
};

/**
 * Reads a list page by page.
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

/**
 * Reads the rest of a list; resolves with all items, or null if a page cannot be read. The list then shows
 * the failure.
 */
export async function readRest<Item>(list: Pages<Item>): Promise<readonly Item[] | null> {
  let page: Pick<UseInfiniteQueryResult<InfiniteData<Page<Item>>>, 'hasNextPage' | 'isError' | 'data'> = list;
  while (page.hasNextPage && !page.isError) page = await list.fetchNextPage();
  return page.isError ? null : itemsOf(page.data);
}

function itemsOf<Item>(data: InfiniteData<Page<Item>> | undefined): readonly Item[] {
  return data?.pages.flatMap((page) => page.data) ?? [];
}
