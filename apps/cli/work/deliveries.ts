import {
  type DeliveryOverview,
  ENDPOINT_STATES,
  type EndpointOverview,
  type EndpointState,
  MAX_ENDPOINTS,
  overviewOf,
} from '#webhooks/monitoring/endpoint-overview.js';
import { overviewJson } from '#webhooks/monitoring/overview-json.js';
import type { Call, Outcome } from '../declaration.js';
import { withInstallation } from '../installation.js';
import { parseIntegerWithin } from '../options.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from '../find-named.js';

const MAX_OFFSET = 1_000_000;
const HEADING = [
  'ORGANISATION',
  'WEBHOOK',
  'NAME',
  'STATE',
  'FAILING SINCE',
  'PENDING',
  'RETRY',
  'FAILED',
  'OLDEST DUE',
  'LATE',
  'LAST FAILURE',
];

/** `workforce deliveries`. */
export function showDeliveries({ options }: Call): Promise<Outcome> {
  const limit = parseIntegerWithin('--limit', options['limit'], 1, MAX_ENDPOINTS)!;
  const offset = parseIntegerWithin('--offset', options['offset'], 0, MAX_OFFSET)!;
  const status = options['status'] as EndpointState | 'all' | undefined;
  const states = status === undefined ? null : status === 'all' ? ENDPOINT_STATES : [status];
  return withInstallation(async ({ pool }) => {
    const named = options['organisation'] as string | undefined;
    const organisation = named === undefined ? null : (await requireOrganisation(pool, named)).id;
    const overview = await overviewOf(pool, {
      organisation,
      webhookId: (options['webhook'] as string | undefined) ?? null,
      states,
      limit,
      offset,
    });
    return { json: overviewJson(overview), text: textOf(overview) };
  });
}

function textOf(overview: DeliveryOverview): string {
  const {
    endpoints_by_state: by,
    pending,
    retry_scheduled: scheduled,
    failed,
    oldest_due_at: oldest,
    next_offset: next,
  } = overview;
  const sums = [
    `Endpoints: ${by.failing} failing, ${by.waiting} with waiting deliveries, ${by.disabled} disabled, ${by.ok} ok.`,
    `Deliveries: ${pending} pending, ${scheduled} waiting for their next attempt, ${failed} failed within 30 days.${oldest === null ? '' : ` The oldest has been due since ${oldest.toISOString()}.`}`,
  ];
  const table = overview.endpoints.length === 0 ? [] : ['', textTable(HEADING, overview.endpoints.map(rowOf))];
  return [
    ...sums,
    ...table,
    ...(next === null ? [] : ['', `There are more: --offset ${next} shows the next ones.`]),
  ].join('\n');
}

function rowOf(endpoint: EndpointOverview): readonly string[] {
  const {
    subdomain,
    organisation_id,
    webhook_id,
    name,
    state,
    disabled_reason,
    failing_since,
    pending,
    retry_scheduled,
    failed,
    oldest_due_at,
  } = endpoint;
  const stateText = disabled_reason === null ? state : `${state} (${disabled_reason})`;
  return [
    subdomain ?? organisation_id,
    webhook_id,
    name,
    stateText,
    timeText(failing_since),
    String(pending),
    String(retry_scheduled),
    String(failed),
    timeText(oldest_due_at),
    lateText(endpoint),
    failureText(endpoint),
  ];
}

function timeText(instant: Date | null): string {
  return instant?.toISOString() ?? '';
}

/** The cause of the lateness, with the label that the metrics use. */
function lateText({ late_because_of: cause, late_seconds: seconds }: EndpointOverview): string {
  return cause === null ? '' : `${Math.round(seconds)} s (${cause})`;
}

function failureText({
  last_failure_at: at,
  last_failure_class: kind,
  last_failure_http_status: status,
  last_failure_message: message,
}: EndpointOverview): string {
  if (at === null) return '';
  return `${at.toISOString()} ${kind}${status === null ? '' : ` ${status}`}${message === null ? '' : `: ${message}`}`;
}
