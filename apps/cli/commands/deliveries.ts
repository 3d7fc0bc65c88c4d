import {
  type DeliveryOverview,
  ENDPOINT_STATES,
  type EndpointOverview,
  MAX_ENDPOINTS,
  overviewOf,
} from '#webhooks/monitoring/endpoint-overview.js';
import { overviewJson } from '#webhooks/monitoring/overview-json.js';
import { command } from '../command.js';
import { choice, numberWithin, organisation, text, withDefault } from '../options.js';
import { tableOf } from '../text-table.js';

/** `workforce deliveries`: the state of webhook deliveries, over all organisations. */
export const commands = {
  deliveries: command({
    options: {
      organisation: organisation('only the endpoints of this organisation: id or subdomain'),
      webhook: text('<webhook>', 'only the endpoint with this id'),
      status: choice('<status>', 'only endpoints in this state (default: all states but ok)', [
        ...ENDPOINT_STATES,
        'all',
      ]),
      limit: withDefault(numberWithin('<number>', 'maximum number of endpoints, up to 200', [1, MAX_ENDPOINTS]), '50'),
      offset: withDefault(numberWithin('<number>', 'number of endpoints to skip', [0, 1_000_000]), '0'),
    },
    run: async ({ organisation: of, webhook: webhookId = null, status, limit, offset }, { pool }) => {
      const states = status === undefined ? null : status === 'all' ? ENDPOINT_STATES : [status];
      const overview = await overviewOf(pool, { organisation: of?.id ?? null, webhookId, states, limit, offset });
      return { json: overviewJson(overview), text: textOf(overview) };
    },
  }),
};

function textOf(overview: DeliveryOverview): string {
  const { endpoints_by_state: by, oldest_due_at: oldest, next_offset: next } = overview;
  const { pending, retry_scheduled: scheduled, failed } = overview;
  return [
    `Endpoints: ${by.failing} failing, ${by.waiting} with waiting deliveries, ${by.disabled} disabled, ${by.ok} ok.`,
    `Deliveries: ${pending} pending, ${scheduled} waiting for their next attempt, ${failed} failed within 30 days.${oldest === null ? '' : ` The oldest has been due since ${oldest.toISOString()}.`}`,
    ...(overview.endpoints.length === 0 ? [] : ['', endpointTable(overview.endpoints)]),
    ...(next === null ? [] : ['', `There are more: --offset ${next} shows the next ones.`]),
  ].join('\n');
}

function endpointTable(endpoints: readonly EndpointOverview[]): string {
  return tableOf(
    {
      ORGANISATION: (one) => one.subdomain ?? one.organisation_id,
      WEBHOOK: 'webhook_id',
      NAME: 'name',
      STATE: ({ state, disabled_reason: reason }) => (reason === null ? state : `${state} (${reason})`),
      'FAILING SINCE': 'failing_since',
      PENDING: 'pending',
      RETRY: 'retry_scheduled',
      FAILED: 'failed',
      'OLDEST DUE': 'oldest_due_at',
      // The cause, with the label that the metrics use.
      LATE: ({ late_because_of: cause, late_seconds: seconds }) =>
        cause === null ? '' : `${Math.round(seconds)} s (${cause})`,
      'LAST FAILURE': failureText,
    },
    endpoints,
  );
}

function failureText(endpoint: EndpointOverview): string {
  const { last_failure_at: at, last_failure_class: kind, last_failure_http_status: status } = endpoint;
  const { last_failure_message: message } = endpoint;
  if (at === null) return '';
  return `${at.toISOString()} ${kind}${status === null ? '' : ` ${status}`}${message === null ? '' : `: ${message}`}`;
}
