import { WorkforceError } from '@workforce-hr/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { sessionQuery } from './session.js';

/**
 * Creates the cache of responses. Any 401 means that the session has ended: the shell then shows the sign-in.
 */
export function createQueryClient(): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof WorkforceError && error.status === 401) queryClient.setQueryData(sessionQuery.queryKey, null);
  };
  const queryClient: QueryClient = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    // The API client retries where that makes sense. Writes do not wait for the connection to return: they
    // fail, and the form reports it.
    defaultOptions: {
      queries: { retry: false, staleTime: 10_000 },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  return queryClient;
}
