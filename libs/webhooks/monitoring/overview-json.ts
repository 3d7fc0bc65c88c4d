import type { JsonObject } from '#kernel/json.js';
import type { DeliveryOverview, EndpointOverview } from './endpoint-overview.js';

/**
 * An overview in the form of `workforce deliveries --json` and of `/deliveries` on the operations listener.
 */
export function overviewJson(overview: DeliveryOverview): JsonObject {
  const {
    as_of,
    endpoints_by_state,
    pending,
    retry_scheduled,
    failed,
    oldest_due_at,
    sending_delay_seconds,
    receiver_delay_seconds,
    endpoints,
    next_offset,
  } = overview;
  return {
    as_of: as_of.toISOString(),
    summary: {
      endpoints: { ...endpoints_by_state },
      deliveries: { pending, retry_scheduled, failed },
      oldest_due_at: isoOrNull(oldest_due_at),
      sending_delay_seconds: Math.round(sending_delay_seconds),
      receiver_delay_seconds: Math.round(receiver_delay_seconds),
    },
    endpoints: endpoints.map(endpointJson),
    next_offset,
  };
}

function endpointJson(endpoint: EndpointOverview): JsonObject {
  const { organisation_id, subdomain, webhook_id, name, state, disabled_reason, pending, retry_scheduled, failed } =
    endpoint;
  return {
    organisation: { id: organisation_id, subdomain },
    webhook_id,
    name,
    state,
    disabled_reason,
    deliveries: { pending, retry_scheduled, failed },
    oldest_due_at: isoOrNull(endpoint.oldest_due_at),
    next_attempt_at: isoOrNull(endpoint.next_attempt_at),
    last_delivered_at: isoOrNull(endpoint.last_delivered_at),
    failing_since: isoOrNull(endpoint.failing_since),
    late:
      endpoint.late_because_of === null
        ? null
        : { because_of: endpoint.late_because_of, seconds: Math.round(endpoint.late_seconds) },
    last_failure: lastFailureJson(endpoint),
  };
}

function lastFailureJson({
  last_failure_at,
  last_failure_class,
  last_failure_http_status,
  last_failure_message,
}: EndpointOverview): JsonObject | null {
  if (last_failure_at === null) return null;
  return {
    at: last_failure_at.toISOString(),
    class: last_failure_class,
    http_status: last_failure_http_status,
    message: last_failure_message,
  };
}

function isoOrNull(instant: Date | null): string | null {
  return instant?.toISOString() ?? null;
}
