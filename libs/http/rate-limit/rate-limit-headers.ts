import type { RateLimitStatus } from './rate-limiter.js';
import { WINDOW_SECONDS } from './rate-limits.js';

/** `RateLimit-Policy` and `RateLimit` (IETF draft 11), the budget that refused first. */
export function rateLimitHeaders(statuses: readonly RateLimitStatus[]): { readonly policy: string; readonly limit: string } {
  const refusing = statuses.find(({ allowed }) => !allowed);
  const ordered = refusing === undefined ? statuses : [refusing, ...statuses.filter((status) => status !== refusing)];
  let policy = '';
  let limit = '';
  for (const { budget, remaining, resetSeconds } of ordered) {
    const separator = policy === '' ? '' : ', ';
    policy += `${separator}"${budget.name}";q=${budget.limit};w=${WINDOW_SECONDS}`;
    limit += `${separator}"${budget.name}";r=${remaining};t=${resetSeconds}`;
  }
  return { policy, limit };
}
