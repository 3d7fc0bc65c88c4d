import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { changesOf } from '#kernel/json.js';
import { conflict, type Issue, notFound, type Rejection } from '#kernel/rejection.js';
import { unreachable } from '#kernel/unreachable.js';
import { nameProblem } from '../../naming/name-key.js';

/** Active endpoints that an organisation may have at once (contract part 8). */
export const MAXIMUM_ACTIVE_ENDPOINTS = 10;
/** The longest address, in characters. */
export const MAXIMUM_URL_LENGTH = 2_048;

/** The address of an endpoint and the events that are sent to it. */
export type Endpoint = {
  readonly name: string;
  readonly url: string;
  /** Event types: at least one, none twice. */
  readonly subscribed_events: readonly string[];
};

/** An encrypted signing secret, and its part that is shown. */
export type SealedSecret = { readonly secret: string; readonly secret_last_four: string };

/** Both encrypted secrets of an endpoint, as they are stored; the previous one is null where there was no rotation. */
export type SealedPair = { readonly secret: string; readonly previous_secret: string | null };

/** Why an endpoint is disabled: a caller disabled it, ten deliveries failed permanently, too many deliveries waited, or its receiver answered 410 Gone. */
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

/** The state of an endpoint that does not depend on its status. */
interface Known {
  readonly endpoint: Endpoint;
  /** How often it was activated, its creation included. */
  readonly activation: number;
  readonly secret: SealedSecret;
  /** The encrypted secret from before the last rotation; null where there was none. */
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

/** How many active endpoints the organisation has, this one not counted; looked up under a lock, so that no other command activates one. */
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
 * What a command records, or why it is refused. A change that changes nothing records nothing, nor does a stop or a reseal that is out of
 * date.
 */
export function decideWebhook(command: WebhookCommand, state: WebhookState): Decision<WebhookEvent> {
  if (command.type === 'create') return decideCreation(command, state);
  if (command.type === 'stop') {
    const isMeant = state.status === 'active' && state.activation === command.activation;
    return isMeant ? accept({ type: 'WebhookDisabled', data: { reason: command.reason } }) : accept();
  }
  if (command.type === 'reseal') return decideReseal(command, state);
  if (state.status === 'none' || state.status === 'deleted') return reject(notFound('webhook_id', 'there is no such webhook'));
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

function decideCreation(
  { endpoint, secret, activeEndpoints }: WebhookCommand & { type: 'create' },
  state: WebhookState,
): Decision<WebhookEvent> {
  const rejection = endpointRejection(endpoint);
  if (rejection !== null) return reject(rejection);
  if (state.status !== 'none') return reject(conflict('id', 'a webhook with this id exists already'));
  return activeEndpoints >= MAXIMUM_ACTIVE_ENDPOINTS
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
  return activeEndpoints >= MAXIMUM_ACTIVE_ENDPOINTS ? reject(tooManyActive()) : accept(...events, { type: 'WebhookEnabled', data: {} });
}

function tooManyActive(): Rejection {
  return conflict(
    'webhooks',
    `at most ${MAXIMUM_ACTIVE_ENDPOINTS} webhooks of an organisation are active at once: disable or delete one first`,
  );
}

/** Refuses invalid fields of an endpoint, whatever its state; null where they are valid. The address's destination is not checked here. */
export function endpointRejection(fields: Partial<Endpoint>): Rejection | null {
  const { name, url, subscribed_events: types } = fields;
  const details: Issue[] = [];
  const addIssue = (field: string, issue: string | null): void => void (issue === null || details.push({ field, issue }));
  if (name !== undefined) addIssue('name', nameProblem(name));
  if (url !== undefined) addIssue('url', urlProblem(url));
  if (types !== undefined) addIssue('subscribed_events', typesProblem(types));
  return details.length === 0 ? null : { kind: 'invalid_request', message: details[0]!.issue, details };
}

function urlProblem(url: string): string | null {
  if (url.trim() === '') return 'must not be blank';
  return [...url].length > MAXIMUM_URL_LENGTH ? `must be at most ${MAXIMUM_URL_LENGTH} characters long` : null;
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
