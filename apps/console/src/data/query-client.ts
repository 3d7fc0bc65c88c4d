import { WorkforceError } from '@workforce-hr/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { sessionQuery } from './session.js';

/**
 * Makes the cache of answers. A 401 anywhere means that the session has ended: the shell then shows the
 * sign-in.
 */
export function createQueryClient(): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof WorkforceError && error.status === 401) queryClient.setQueryData(sessionQuery.queryKey, null);
  };
  const queryClient: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    // The client of the API repeats what is worth repeating. No write waits for the line to return: it fails,
    // and the form says so.
    defaultOptions: {
      queries: { retry: false, staleTime: 10_000 },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return queryClient;
}
