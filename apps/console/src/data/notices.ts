import { queryOptions } from '@tanstack/react-query';
import type { DisabledReason } from './disabled-reason.js';
import { readFromConsole, request } from './session.js';

/** An endpoint that the service has disabled, see docs/reference/console-session.md. */
export interface Notice {
  readonly id: string;
  readonly webhook: { readonly id: string; readonly name: string };
  readonly reason: DisabledReason;
  readonly since: string;
  readonly is_read: boolean;
}

/** The polling interval of an open page for new notices, in milliseconds. */
const REFETCH_MILLISECONDS = 60_000;

/** The notices of the organisation; only administrators may read them. */
export const noticesQuery = queryOptions({
  queryKey: ['notices'],
  queryFn: () => readFromConsole<readonly Notice[]>('/console/notices'),
  refetchInterval: REFETCH_MILLISECONDS,
});

/** Marks notices as read by this user. */
export const markNoticesRead = (ids: readonly string[]): Promise<Response> =>
  request('POST', '/console/notices/read', { ids });
