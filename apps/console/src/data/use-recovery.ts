import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { isOutage, isReachable } from './connection.js';

/** The interval of checks whether the service answers again, in milliseconds. */
const PAUSE = 3_000;

const isDown = (query: Query): boolean =>
  query.state.status === 'error' && query.isActive() && isOutage(query.state.error);

/**
 * Repeats reads that failed in an outage as soon as the service answers again, without reloading the screen.
 */
export function useRecovery(): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const queries = queryClient.getQueryCache();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isEnded = false;
    const check = async (): Promise<void> => {
      if (await isReachable()) await queryClient.refetchQueries({ predicate: isDown });
      timer = undefined;
      watch();
    };
    const watch = (): void => {
      if (isEnded || timer !== undefined || !queries.getAll().some(isDown)) return;
      timer = setTimeout(() => void check(), PAUSE);
    };
    const unsubscribe = queries.subscribe(watch);
    watch();
    return () => {
      isEnded = true;
      clearTimeout(timer);
      unsubscribe();
    };
  }, [queryClient]);
}
