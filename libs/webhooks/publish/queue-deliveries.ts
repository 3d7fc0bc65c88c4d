import type { Pool, PoolClient } from 'pg';
import { inTransaction } from '#database/transaction.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { Executor } from '#projections/projection.js';
import { IS_SENDING, lockWaiting, WAITING_LIMITS } from '../deliver/delivery-changes.js';
import { deliveryIdOf } from '../deliver/delivery-id.js';
import type { DueDelivery } from '../deliver/delivery-queues.js';
import { CURSOR, CURSOR_POSITION } from '../deliver/cursors.table.js';

/**
 * The time in seconds after which an endpoint with the maximum of waiting deliveries counts as overloaded if
 * it accepts none: a burst that a healthy receiver works off is not an overload.
 */
export const OVERLOAD_SECONDS = 5;
const EVENTS_AT_ONCE = 500;
/**
 * The maximum number of active endpoints of an organisation. In the order of attempts, a tenth of all waiting
 * deliveries of the organisation counts in addition to those of the endpoint.
 */
const ENDPOINTS_OF_ORGANISATION = 10;

interface Endpoint {
  readonly id: string;
  readonly activation: number;
  readonly subscribed_events: readonly string[];
  readonly cursor: string;
  readonly waiting: number;
  /** Whether a delivery succeeded, or was queued, recently. */
  readonly is_moving: boolean;
}

interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly resource_id: string;
  readonly resource_type: string;
  readonly occurred_at: Date;
  readonly position: string;
  readonly traceparent: string | null;
}

/** The deliveries that one endpoint gets now. */
interface Share {
  readonly endpoint: Endpoint;
  readonly events: readonly EventRow[];
  readonly cursor: string;
  readonly isBehind: boolean;
  readonly isStopped: boolean;
}

/** The settings of creating an organisation's deliveries. */
export interface QueueSettings {
  /** False if a lack of progress may be the installation's fault, because a worker has just started. */
  readonly mayStop: boolean;
  /** The maximum number of events per endpoint now; 500 by default. */
  readonly most?: number;
}

/** The result of creating deliveries for an organisation's endpoints. */
export interface QueuedDeliveries {
  /** Their first attempts. */
  readonly due: readonly DueDelivery[];
  /** Whether an endpoint lacks room for all events. */
  readonly isBehind: boolean;
  /** Whether an endpoint was stopped because of overload. */
  readonly hasStopped: boolean;
}

/** Organisations that have an active endpoint whose cursor is behind the last stored event. */
export async function laggingOrganisations(executor: Executor): Promise<readonly string[]> {
  const { rows } = await executor.query<{ organisation_id: string }>(
    `select distinct w.organisation_id from webhooks w ${CURSOR}
      where w.status = 'active' and exists (select from webhook_events e
        where e.organisation_id = w.organisation_id and e.position > ${CURSOR_POSITION})`,
  );
  return rows.map((row) => row.organisation_id);
}

/**
 * Creates the missing deliveries of an organisation's endpoints, in the order of the log, each as far as it
 * has room: 500 waiting per endpoint, 5,000 per organisation (contract part 8). An endpoint without room that
 * has not moved for some seconds is overloaded: the delivery over the cap is still created, and the endpoint
 * stopped.
 */
export function queueForOrganisation(
  pool: Pool,
  mint: IdMint,
  organisationId: string,
  { mayStop, most: limit = EVENTS_AT_ONCE }: QueueSettings,
): Promise<QueuedDeliveries> {
  return inTransaction(pool, async (connection) => {
    await lockWaiting(connection, organisationId);
    const endpoints = await endpointsOf(connection, organisationId);
    const shares = await sharesOf(connection, organisationId, endpoints, { mayStop, most: limit });
    if (shares.length === 0) return { due: [], isBehind: false, hasStopped: false };
    const queued = shares.map(({ endpoint, events }) => ({
      webhookId: endpoint.id,
      waiting: endpoint.waiting + Math.floor(endpoints.waiting / ENDPOINTS_OF_ORGANISATION),
      deliveries: events.map((event) => ({
        ...event,
        delivery_id: deliveryIdOf(mint, organisationId, endpoint.id, event.id),
        webhook_id: endpoint.id,
      })),
    }));
    await connection.query({
      name: 'queue-deliveries',
      text: QUEUE,
      values: [
        organisationId,
        JSON.stringify(queued.flatMap(({ deliveries }) => deliveries)),
        JSON.stringify(
          shares.map(({ endpoint, cursor }) => ({
            webhook_id: endpoint.id,
            activation: endpoint.activation,
            position: cursor,
          })),
        ),
        JSON.stringify(
          shares
            .filter(({ isStopped }) => isStopped)
            .map(({ endpoint }) => ({ webhook_id: endpoint.id, activation: endpoint.activation })),
        ),
      ],
    });
    return {
      due: queued.flatMap(({ webhookId, waiting, deliveries }) =>
        deliveries.map(({ delivery_id: deliveryId, type }, index) => ({
          organisationId,
          webhookId,
          deliveryId,
          eventType: type,
          attempt: 1,
          isRetry: false,
          place: waiting + index,
        })),
      ),
      isBehind: shares.some(({ isBehind }) => isBehind),
      hasStopped: shares.some(({ isStopped }) => isStopped),
    };
  });
}

async function endpointsOf(
  connection: PoolClient,
  organisationId: string,
): Promise<{ readonly endpoints: readonly Endpoint[]; readonly waiting: number }> {
  const { rows } = await connection.query<Endpoint & { readonly all_waiting: number }>({
    name: 'endpoints-to-queue-for',
    text: `
      with waiting as (
        select webhook_id, count(*)::integer as count, max(created_at) as newest
          from webhook_deliveries where organisation_id = $1 and status in ('pending', 'retry_scheduled')
            group by webhook_id
      )
      select w.id, w.activation, w.subscribed_events, ${CURSOR_POSITION} as cursor, coalesce(waiting.count,
        0) as waiting,
             coalesce((select sum(count) from waiting), 0)::integer as all_waiting,
             coalesce(waiting.newest > clock_timestamp() - make_interval(secs => $2), false) or exists (
               select from webhook_deliveries d
                where d.organisation_id = w.organisation_id and d.webhook_id = w.id and d.status = 'delivered'
                  and d.finished_at > clock_timestamp() - make_interval(secs => $2)) as is_moving
        from webhooks w ${CURSOR} left join waiting on waiting.webhook_id = w.id
       where w.organisation_id = $1 and ${IS_SENDING}
       order by w.id`,
    values: [organisationId, OVERLOAD_SECONDS],
  });
  return { endpoints: rows, waiting: rows[0]?.all_waiting ?? 0 };
}

async function sharesOf(
  connection: PoolClient,
  organisationId: string,
  { endpoints, waiting }: Awaited<ReturnType<typeof endpointsOf>>,
  { mayStop, most: limit }: Required<QueueSettings>,
): Promise<readonly Share[]> {
  const shares: Share[] = [];
  let organisationRoom = WAITING_LIMITS.organisation - waiting;
  for (const [cursor, group] of groupByCursor(endpoints)) {
    const { rows } = await connection.query<EventRow>({
      name: 'events-to-queue',
      text: `select id, type, resource_id, resource_type, occurred_at, position, traceparent from webhook_events
              where organisation_id = $1 and position > $2 order by position, id limit $3`,
      // One more than requested tells whether more follow, and a position is never split.
      values: [organisationId, cursor, limit + 1],
    });
    const page = completePositions(rows, limit);
    for (const endpoint of group) {
      if (page.length === 0) continue;
      const room = Math.min(WAITING_LIMITS.endpoint - endpoint.waiting, organisationRoom);
      const share = shareOf(endpoint, page, {
        room,
        goesOn: rows.length > limit,
        mayStop: mayStop && !endpoint.is_moving,
      });
      organisationRoom -= share.events.length;
      shares.push(share);
    }
  }
  return shares;
}

/** A page without its last position if that may continue beyond it: a cursor is between positions. */
function completePositions(rows: readonly EventRow[], limit: number): readonly EventRow[] {
  if (rows.length <= limit) return rows;
  const last = rows.at(-1)!.position;
  return rows.filter(({ position }) => position !== last);
}

function shareOf(
  endpoint: Endpoint,
  page: readonly EventRow[],
  { room, goesOn, mayStop }: { readonly room: number; readonly goesOn: boolean; readonly mayStop: boolean },
): Share {
  const requested = page.filter(({ type }) => endpoint.subscribed_events.includes(type));
  if (requested.length <= room)
    return { endpoint, events: requested, cursor: page.at(-1)!.position, isBehind: goesOn, isStopped: false };
  // Events derived from one recorded event share a position, and stay together.
  const beyond = requested[Math.max(0, room)]!;
  const events = requested.slice(0, Math.max(0, room)).filter(({ position }) => position < beyond.position);
  if (events.length > 0 || !mayStop)
    return { endpoint, events, cursor: events.at(-1)?.position ?? endpoint.cursor, isBehind: true, isStopped: false };
  const over = requested.filter(({ position }) => position === requested[0]!.position);
  return { endpoint, events: over, cursor: over[0]!.position, isBehind: false, isStopped: true };
}

function groupByCursor(endpoints: readonly Endpoint[]): ReadonlyMap<string, readonly Endpoint[]> {
  const groups = new Map<string, Endpoint[]>();
  for (const endpoint of endpoints) groups.set(endpoint.cursor, [...(groups.get(endpoint.cursor) ?? []), endpoint]);
  return groups;
}

const QUEUE = `
with queued as (
  insert into webhook_deliveries (organisation_id, id, webhook_id, event_id, event_type, resource_id, resource_type,
    occurred_at, traceparent)
  select $1, delivery_id, webhook_id, id, type, resource_id, resource_type, occurred_at, traceparent
    from json_to_recordset($2) as d (delivery_id text, webhook_id text, id text, type text, resource_id text,
      resource_type text, occurred_at timestamptz, traceparent text)
  on conflict do nothing
), moved as (
  insert into webhook_cursors as c (organisation_id, webhook_id, activation, position)
  select $1, webhook_id, activation, position from json_to_recordset($3) as m (webhook_id text, activation integer,
    position text)
  on conflict (organisation_id, webhook_id) do update set activation = excluded.activation, position = excluded.position
   where c.activation < excluded.activation or c.position < excluded.position
)
insert into webhook_stops (organisation_id, webhook_id, activation, reason)
select $1, webhook_id, activation, 'delivery_overflow'
  from json_to_recordset($4) as s (webhook_id text, activation integer)
on conflict do nothing`;
