import { WEBHOOK_EVENTS, type WebhookEventType } from '#kernel/webhook-events.js';
import type { Rejection } from '#kernel/rejection.js';
import type { Scope } from '#kernel/scopes.js';

/** The scopes of the key that subscribes; null for an operator, who may subscribe to everything. */
export type GrantedScopes = ReadonlySet<Scope> | null;

/**
 * The reason for which a key with these scopes may not subscribe to these event types (contract part 5); null
 * if it may.
 */
export function subscriptionRejection(granted: GrantedScopes, types: readonly string[]): Rejection | null {
  if (granted === null) return null;
  const missing = [...new Set(types.map(scopeOf))].filter((scope) => !granted.has(scope));
  if (missing.length === 0) return null;
  const issueOf = (scope: Scope): string =>
    `${types.filter((type) => scopeOf(type) === scope).join(', ')} needs the scope ${scope}`;
  return {
    kind: 'permission_denied',
    message: issueOf(missing[0]!),
    details: missing.map((scope) => ({ field: 'subscribed_events', issue: issueOf(scope) })),
  };
}

/** Whether a key with these scopes may read the resource of an event of this type. */
export function mayRead(granted: ReadonlySet<Scope>, type: string): boolean {
  return granted.has(scopeOf(type));
}

function scopeOf(type: string): Scope {
  return WEBHOOK_EVENTS[type as WebhookEventType];
}
