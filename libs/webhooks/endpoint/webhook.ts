import type { Migration } from '#database/migrations.js';
import { prepared, raw, sql } from '#database/sql.js';
import type { CreationCursor } from '#http/pages.js';
import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { changesOf } from '#kernel/json.js';
import { nameProblem } from '#kernel/names.js';
import { conflict, type Issue, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { oneRowProjection } from '#projections/one-row-table.js';
import type { Executor, Row, Stream } from '#projections/projection.js';
import type { SealedSecrets } from '../send/secrets-in-force.js';

/** The maximum number of active endpoints of an organisation (contract part 8). */
export const MAX_ACTIVE_ENDPOINTS = 10;
/** The maximum length of an address, in characters. */
export const MAX_URL_LENGTH = 2_048;

/** The address of an endpoint and its subscriptions. */
export type Endpoint = {
  readonly name: string;
  readonly url: string;
  /** Event types: at least one, without duplicates. */
  readonly subscribed_events: readonly string[];
};

/** An encrypted signing secret, and its visible part. */
export type SealedSecret = { readonly secret: string; readonly secret_last_four: string };

/**
 * Both encrypted secrets of an endpoint in stored form; the previous one is null if there was no rotation.
 */
export type SealedPair = { readonly secret: string; readonly previous_secret: string | null };

/**
 * The reason for which an endpoint is disabled: a caller disabled it, ten deliveries failed permanently, too
 * many deliveries waited, or its receiver answered 410 Gone.
 */
export const DISABLED_REASONS = ['caller', 'delivery_failures', 'delivery_overflow', 'gone'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

// These names and fields are the storage format: add new ones, never rename or remove.
export type WebhookEvent =
  | DomainEvent<'WebhookCreated', Endpoint & SealedSecret>
  | DomainEvent<'WebhookChanged', { changes: Partial<Endpoint> }>
  | DomainEvent<'WebhookDisabled', { reason: DisabledReason }>
  | DomainEvent<'WebhookEnabled', Record<string, never>>
  | DomainEvent<'WebhookSecretRotated', SealedSecret>
  | DomainEvent<'WebhookSecretsResealed', SealedPair>
  | DomainEvent<'WebhookDeliveryRetried', { delivery_id: string }>
  | DomainEvent<'WebhookDeleted', Record<string, never>>;

/** The part of an endpoint's state that does not depend on its status. */
interface Known {
  readonly endpoint: Endpoint;
  /** The number of its activations, including its creation. */
  readonly activation: number;
  readonly secret: SealedSecret;
  /** The encrypted secret from before the last rotation; null if there was none. */
  readonly previousSecret: string | null;
}

export type WebhookState =
  | { readonly status: 'none' }
  | (Known & { readonly status: 'active' | 'deleted' })
  | (Known & { readonly status: 'disabled'; readonly reason: DisabledReason });

export const initialWebhook: WebhookState = { status: 'none' };

/** The state with one more event. */
export function evolveWebhook(state: WebhookState, event: WebhookEvent): WebhookState {
  if (event.type === 'WebhookCreated') {
    const { secret, secret_last_four, ...endpoint } = event.data;
    return { status: 'active', endpoint, activation: 1, secret: { secret, secret_last_four }, previousSecret: null };
  }
  if (state.status === 'none') return state;
  const { endpoint, activation, secret, previousSecret } = state;
  switch (event.type) {
    case 'WebhookChanged':
      return { ...state, endpoint: { ...endpoint, ...event.data.changes } };
    case 'WebhookDisabled':
      return { endpoint, activation, secret, previousSecret, status: 'disabled', reason: event.data.reason };
    case 'WebhookEnabled':
      return { endpoint, activation: activation + 1, secret, previousSecret, status: 'active' };
    case 'WebhookSecretRotated':
      return { ...state, secret: event.data, previousSecret: secret.secret };
    case 'WebhookSecretsResealed':
      return { ...state, secret: { ...secret, secret: event.data.secret }, previousSecret: event.data.previous_secret };
    case 'WebhookDeliveryRetried':
      return state;
    case 'WebhookDeleted':
      return { endpoint, activation, secret, previousSecret, status: 'deleted' };
    default:
      return unreachable(event);
  }
}

/**
 * The number of other active endpoints of the organisation, looked up under a lock, so that no other command
 * activates one.
 */
interface Crowd {
  readonly activeEndpoints: number;
}

export type WebhookCommand =
  | (Crowd & { readonly type: 'create'; readonly endpoint: Endpoint; readonly secret: SealedSecret })
  | (Crowd & { readonly type: 'change'; readonly changes: Partial<Endpoint>; readonly status?: 'active' | 'disabled' })
  | { readonly type: 'rotate'; readonly secret: SealedSecret }
  /** The same secrets, encrypted with another key. */
  | { readonly type: 'reseal'; readonly from: SealedPair; readonly to: SealedPair }
  | { readonly type: 'delete' }
  /** An operator has a failed delivery sent again. */
  | { readonly type: 'retry'; readonly deliveryId: string }
  /** A stop by a rule, which applies only to the activation in which the rule was broken. */
  | { readonly type: 'stop'; readonly reason: Exclude<DisabledReason, 'caller'>; readonly activation: number };

/**
 * The events of a command, or the reason for its refusal. A command without a change records nothing, nor
 * does an outdated stop or reseal.
 */
export function decideWebhook(command: WebhookCommand, state: WebhookState): Decision<WebhookEvent> {
  if (command.type === 'create') return decideCreate(command, state);
  if (command.type === 'stop') {
    const isMeant = state.status === 'active' && state.activation === command.activation;
    return isMeant ? accept({ type: 'WebhookDisabled', data: { reason: command.reason } }) : accept();
  }
  if (command.type === 'reseal') return decideReseal(command, state);
  if (state.status === 'none' || state.status === 'deleted')
    return reject(notFound('webhook_id', 'there is no such webhook'));
  switch (command.type) {
    case 'change':
      return decideChange(command, state);
    case 'rotate':
      return accept({ type: 'WebhookSecretRotated', data: command.secret });
    case 'retry':
      if (state.status === 'disabled') return reject(conflict('webhook', 'is disabled'));
      return accept({ type: 'WebhookDeliveryRetried', data: { delivery_id: command.deliveryId } });
    case 'delete':
      return accept({ type: 'WebhookDeleted', data: {} });
    default:
      return unreachable(command);
  }
}

function decideCreate(
  { endpoint, secret, activeEndpoints }: WebhookCommand & { type: 'create' },
  state: WebhookState,
): Decision<WebhookEvent> {
  const rejection = endpointRejection(endpoint);
  if (rejection !== null) return reject(rejection);
  if (state.status !== 'none') return reject(conflict('id', 'a webhook with this id exists already'));
  return activeEndpoints >= MAX_ACTIVE_ENDPOINTS
    ? reject(tooManyActive())
    : accept({ type: 'WebhookCreated', data: { ...endpoint, ...secret } });
}

function decideReseal({ from, to }: WebhookCommand & { type: 'reseal' }, state: WebhookState): Decision<WebhookEvent> {
  const isThere = state.status === 'active' || state.status === 'disabled';
  const isMeant = isThere && state.secret.secret === from.secret && state.previousSecret === from.previous_secret;
  const isNew = from.secret !== to.secret || from.previous_secret !== to.previous_secret;
  return isMeant && isNew ? accept({ type: 'WebhookSecretsResealed', data: to }) : accept();
}

/** The status comes last, so that deliveries after an activation use the changed endpoint. */
function decideChange(
  { changes: named, status, activeEndpoints }: WebhookCommand & { type: 'change' },
  state: WebhookState & Known,
): Decision<WebhookEvent> {
  const rejection = endpointRejection(named);
  if (rejection !== null) return reject(rejection);
  const changes = changesOf(named, state.endpoint);
  const events: WebhookEvent[] = changes === null ? [] : [{ type: 'WebhookChanged', data: { changes } }];
  if (status === undefined || status === state.status) return accept(...events);
  if (status === 'disabled') return accept(...events, { type: 'WebhookDisabled', data: { reason: 'caller' } });
  return activeEndpoints >= MAX_ACTIVE_ENDPOINTS
    ? reject(tooManyActive())
    : accept(...events, { type: 'WebhookEnabled', data: {} });
}

function tooManyActive(): Rejection {
  return conflict(
    'webhooks',
    `at most ${MAX_ACTIVE_ENDPOINTS} webhooks of an organisation are active at once: disable or delete one first`,
  );
}

/**
 * Refuses invalid fields of an endpoint, whatever its state; null if they are valid. The destination of the
 * address is not checked here.
 */
export function endpointRejection(fields: Partial<Endpoint>): Rejection | null {
  const { name, url, subscribed_events: types } = fields;
  const details: Issue[] = [];
  const addIssue = (field: string, issue: string | null): void =>
    void (issue === null || details.push({ field, issue }));
  if (name !== undefined) addIssue('name', nameProblem(name));
  if (url !== undefined) addIssue('url', urlProblem(url));
  if (types !== undefined) addIssue('subscribed_events', typesProblem(types));
  return details.length === 0 ? null : { kind: 'invalid_request', message: details[0]!.issue, details };
}

function urlProblem(url: string): string | null {
  if (url.trim() === '') return 'must not be blank';
  return [...url].length > MAX_URL_LENGTH ? `must be at most ${MAX_URL_LENGTH} characters long` : null;
}

function typesProblem(types: readonly string[]): string | null {
  if (types.length === 0) return 'must name at least one event type';
  return new Set(types).size < types.length ? 'must not name an event type twice' : null;
}

export const webhookAggregate = defineAggregate({
  category: 'webhook',
  idKind: 'webhook',
  initial: initialWebhook,
  evolve: evolveWebhook,
});

/**
 * The read table of webhook endpoints. `secret` and `previous_secret` are encrypted; a deleted endpoint's row
 * stays, as `deleted`.
 */
export const WEBHOOKS_SCHEMA = `
create table webhooks (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  name text not null,
  url text not null,
  subscribed_events text[] not null,
  status text not null check (status in ('active', 'disabled', 'deleted')),
  disabled_reason text check (disabled_reason in ('caller', 'delivery_failures', 'delivery_overflow')),
  disabled_at timestamptz(3),
  -- How often the endpoint was activated, its creation included; and the place in the log after which it gets events.
  activation integer not null,
  activated_position text collate "C" not null,
  secret text not null,
  secret_last_four text not null,
  previous_secret text,
  rotated_at timestamptz(3),
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index webhooks_in_order on webhooks (organisation_id, created_at, id) where status <> 'deleted';
create index webhooks_active on webhooks (organisation_id) where status = 'active';
`;

/** Only the decider restricts the reasons: a later release added `gone`. */
export const REASONS_OF_WEBHOOKS_MIGRATION: Migration = {
  version: 29,
  name: 'reasons of disabled webhooks',
  sql: `
alter table webhooks drop constraint webhooks_disabled_reason_check;
alter table webhook_stops drop constraint webhook_stops_reason_check;
`,
};

/**
 * Deletes the waiting deliveries of a deleted endpoint, so that they are not sent and no longer count as
 * waiting.
 */
const FORGOTTEN = `
forgotten as (
  delete from webhook_deliveries d using input i join head using (organisation_id, id)
   where i.status = 'deleted' and d.organisation_id = i.organisation_id and d.webhook_id = i.id
     and d.status in ('pending', 'retry_scheduled')
)`;

/** Webhook endpoints; deleted ones are included, but without their secrets. */
export const webhookProjection = oneRowProjection(webhookAggregate, {
  table: 'webhooks',
  columns: [
    'name',
    'url',
    'subscribed_events',
    'status',
    'disabled_reason',
    'disabled_at',
    'activation',
    'activated_position',
    'secret',
    'secret_last_four',
    'previous_secret',
    'rotated_at',
  ],
  besideLive: FORGOTTEN,
  row: (state, stream) => {
    const disabled = state.status === 'disabled' ? lastOf(stream, 'WebhookDisabled') : undefined;
    return {
      ...state.endpoint,
      status: state.status,
      disabled_reason: state.status === 'disabled' ? state.reason : null,
      disabled_at: disabled?.recordedAt ?? null,
      activation: state.activation,
      activated_position: lastOf(stream, 'WebhookCreated', 'WebhookEnabled')!.position,
      ...secretsOf(state),
      updated_at: lastChange(stream).recordedAt,
      rotated_at: lastOf(stream, 'WebhookSecretRotated')?.recordedAt ?? null,
    };
  },
});

function secretsOf(state: Exclude<WebhookState, { status: 'none' }>): Row {
  if (state.status === 'deleted') return { secret: '', secret_last_four: '', previous_secret: null };
  return { ...state.secret, previous_secret: state.previousSecret };
}

/** Events that change no visible part of an endpoint. */
const UNSHOWN: ReadonlySet<string> = new Set<WebhookEvent['type']>([
  'WebhookSecretsResealed',
  'WebhookDeliveryRetried',
]);

/** The last event that changed a visible part of an endpoint. */
export function lastChange(stream: Stream): Stream[number] {
  return stream.findLast(({ type }) => !UNSHOWN.has(type))!;
}

function lastOf(stream: Stream, ...types: readonly WebhookEvent['type'][]): Stream[number] | undefined {
  return stream.findLast(({ type }) => (types as readonly string[]).includes(type));
}

/** A row of `webhooks` without its secrets; deleted endpoints have none. */
export interface WebhookRow {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly subscribed_events: readonly string[];
  readonly status: 'active' | 'disabled';
  readonly disabled_reason: DisabledReason | null;
  readonly disabled_at: Date | null;
  readonly secret_last_four: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The reason of a stop by a rule, and the activation of the endpoint that it applies to. */
export interface WebhookStop {
  readonly reason: Exclude<DisabledReason, 'caller'>;
  readonly activation: number;
}

/** The start of a page of endpoints, which are in the order of creation. */
export interface WebhookPage {
  readonly organisationId: string;
  /** The last row of the previous page. */
  readonly after: CreationCursor | null;
  /** Rows to fetch. */
  readonly count: number;
}

/**
 * A rule stops an endpoint immediately, and the event that disables it follows. Until then, no response shows
 * the endpoint as active.
 */
const STOPS = `left join webhook_stops s on s.organisation_id = w.organisation_id and s.webhook_id = w.id
    and s.activation = w.activation and w.status = 'active'`;
export const STATUS_WITH_STOPS = "case when s.reason is null then w.status else 'disabled' end";
export const WEBHOOKS_WITH_STOPS = `webhooks w ${STOPS}`;

const COLUMNS = `w.id, w.name, w.url, w.subscribed_events, ${STATUS_WITH_STOPS} as status,
  coalesce(s.reason, w.disabled_reason) as disabled_reason,
  coalesce(s.stopped_at, w.disabled_at) as disabled_at, w.secret_last_four, w.created_at, w.updated_at`;

/** Condition of existing endpoints, for statements whose first parameter is the organisation. */
const EXISTS = `w.organisation_id = $1 and w.status <> 'deleted'`;

/** A page of endpoints. */
export async function listWebhooks(
  executor: Executor,
  { organisationId, after, count }: WebhookPage,
): Promise<readonly WebhookRow[]> {
  const isLater = after === null ? sql`` : sql` and (w.created_at, w.id) > (${after.createdAt}, ${after.id})`;
  const { rows } = await executor.query<WebhookRow>(
    prepared(sql`select ${raw(COLUMNS)} from ${raw(WEBHOOKS_WITH_STOPS)}
      where w.organisation_id = ${organisationId} and w.status <> 'deleted'${isLater}
        order by w.created_at, w.id limit ${count}`),
  );
  return rows;
}

/** The endpoint; null if this organisation has none with this id, or it was deleted. */
export async function findWebhook(
  executor: Executor,
  organisationId: string,
  webhookId: string,
): Promise<WebhookRow | null> {
  const { rows } = await executor.query<WebhookRow>({
    name: 'find-webhook',
    text: `select ${COLUMNS} from ${WEBHOOKS_WITH_STOPS} where ${EXISTS} and w.id = $2`,
    values: [organisationId, webhookId],
  });
  return rows[0] ?? null;
}

/**
 * The encrypted secrets of an endpoint; null if this organisation has none with this id, or it was deleted.
 */
export async function findSealedSecrets(
  executor: Executor,
  organisationId: string,
  webhookId: string,
): Promise<SealedSecrets | null> {
  const { rows } = await executor.query<SealedSecrets>({
    name: 'find-webhook-secrets',
    text: `select secret, previous_secret, rotated_at from webhooks w where ${EXISTS} and id = $2`,
    values: [organisationId, webhookId],
  });
  return rows[0] ?? null;
}

/**
 * The stop by a rule in the endpoint's current activation whose disabling event is not recorded yet; null if
 * there is none.
 */
export async function findStop(
  executor: Executor,
  organisationId: string,
  webhookId: string,
): Promise<WebhookStop | null> {
  const { rows } = await executor.query<WebhookStop>({
    name: 'find-webhook-stop',
    text: `select s.reason, s.activation from ${WEBHOOKS_WITH_STOPS}
      where w.organisation_id = $1 and w.id = $2 and s.reason is not null`,
    values: [organisationId, webhookId],
  });
  return rows[0] ?? null;
}

/** The number of active endpoints of the organisation, without this one. */
export async function countActiveBeside(
  executor: Executor,
  organisationId: string,
  webhookId: string,
): Promise<number> {
  const { rows } = await executor.query<{ count: number }>({
    name: 'count-active-webhooks',
    text: `select count(*)::integer as count from webhooks where organisation_id = $1 and status = 'active'
      and id <> $2`,
    values: [organisationId, webhookId],
  });
  return rows[0]!.count;
}
