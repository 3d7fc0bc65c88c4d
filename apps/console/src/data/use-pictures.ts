import { useQueries } from '@tanstack/react-query';
import { answerOf } from '@workforce-hr/client';
import { client } from './client.js';
import { useMay } from './session.js';

/** The maximum number of people of one request. */
const PAGE_SIZE = 100;
/** Below the lifetime of a link, which is 5 minutes unless the operator set another one. */
const FRESH_MILLISECONDS = 240_000;

/** The links to the pictures of these people, by their ids; of those who have one, as they arrive. */
export function usePictures(personIds: readonly string[]): ReadonlyMap<string, string> {
  const may = useMay('people:avatar:read');
  const pages = Array.from({ length: Math.ceil(personIds.length / PAGE_SIZE) }, (_, page) =>
    personIds.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE).join(','),
  );
  return useQueries({
    queries: pages.map((ids) => ({
      queryKey: ['avatars', ids],
      queryFn: () =>
        answerOf(client.GET('/people/avatars', { params: { query: { person_ids: ids, limit: PAGE_SIZE } } })),
      enabled: may,
      staleTime: FRESH_MILLISECONDS,
    })),
    combine: (results) =>
      new Map(
        results.flatMap(({ data }) =>
          (data?.data ?? []).map(({ person_id: id, download_url: url }) => [id, url] as const),
        ),
      ),
  });
}
