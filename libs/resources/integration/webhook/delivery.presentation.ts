import { fieldsOf } from '#http/fields/shape.js';
import type { Scope } from '#kernel/scopes.js';
import { DeliveryHeaders, type Health } from './delivery.contract.js';
import type { DeliveryHealth, DeliveryRow } from './delivery.queries.js';
import { mayRead } from './subscription-scopes.js';

/** A delivery as responses show it to a key with these scopes. The scopes are checked each time, because a key may lose scopes. */
export function presentDelivery(row: DeliveryRow, scopes: ReadonlySet<Scope>): object {
  const { resource_id: id, resource_type } = row;
  return { ...row, resource: mayRead(scopes, row.event_type) ? { id, resource_type } : null };
}

/** The headers that responses show, by the names of the contract, whatever case a signer uses. */
export function presentHeaders(headers: Readonly<Record<string, string>>): object {
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return Object.fromEntries(fieldsOf(DeliveryHeaders).map(({ name }) => [name, byName.get(name.toLowerCase())]));
}

/** The health of an endpoint as responses show it. */
export function presentHealth(webhookId: string, found: DeliveryHealth): object {
  const {
    pending,
    retry_scheduled,
    delivered,
    failed,
    failed_at: at,
    failure_class,
    failure_http_status: http_status,
    failure_message,
  } = found;
  return {
    webhook_id: webhookId,
    status: found.webhook_status,
    health: healthOf(found),
    counts: { pending, retry_scheduled, delivered, failed },
    last_success_at: found.last_success_at,
    last_failure_at: at,
    next_attempt_at: found.next_attempt_at,
    last_failure: at === null ? null : { failure_class, http_status, failure_message, at },
  };
}

/** Contract part 3: a permanent failure takes precedence over waiting deliveries. */
export function healthOf({
  pending,
  retry_scheduled,
  delivered,
  failed,
}: Pick<DeliveryHealth, 'pending' | 'retry_scheduled' | 'delivered' | 'failed'>): Health {
  if (failed > 0) return 'failing';
  if (pending + retry_scheduled > 0) return 'recovering';
  return delivered > 0 ? 'healthy' : 'unknown';
}
