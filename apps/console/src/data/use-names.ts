import { useQueries } from '@tanstack/react-query';
import { readFromConsole } from './session.js';

/** The ids of one request; the service takes no more. */
const MAX_IDS = 100;
/** Three parts after a prefix, or the id of a person. */
const ID = /^(?:[a-z]+(?:_[a-z]+)*_[\w-]{8}\.[\w-]{8}\.[\w-]{12}|[\da-hjkmnp-tv-z]{12})$/;

/** The names of resources by their ids. */
export interface Names {
  readonly of: (id: string) => string | undefined;
  /** Whether more names may come. */
  readonly isReading: boolean;
}

/** Whether a recorded value looks like the id of a resource. */
export function isId(value: string | null): value is string {
  return value !== null && ID.test(value);
}

/** Reads the names of these resources. Those that the user may not read, and unknown ones, have none. */
export function useNames(ids: readonly (string | null)[]): Names {
  const wanted = [...new Set(ids.filter(isId))];
  // Ids that are added at the end leave the first requests as they are.
  const parts = Array.from({ length: Math.ceil(wanted.length / MAX_IDS) }, (_, index) =>
    wanted.slice(index * MAX_IDS, (index + 1) * MAX_IDS),
  );
  return useQueries({
    queries: parts.map((part) => ({
      queryKey: ['names', part],
      queryFn: () =>
        readFromConsole<readonly { readonly id: string; readonly name: string }[]>(
          `/console/names?ids=${part.map(encodeURIComponent).join(',')}`,
        ),
      staleTime: 60_000,
    })),
    combine: (results) => {
      const found = new Map(results.flatMap(({ data = [] }) => data.map(({ id, name }) => [id, name] as const)));
      return { of: (id: string) => found.get(id), isReading: results.some(({ isPending }) => isPending) };
    },
  });
}
