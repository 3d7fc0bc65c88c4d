import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import { type CommandResult, handleCommand, isRecorded, type StreamCommand } from '#commands/handle-command.js';
import { DATABASE_POOL, EVENT_STORE } from '#commands/injection-tokens.js';
import type { CommandServices, WritingServices } from '#commands/services.js';
import { commit, type UnitContext } from '#commands/unit-of-work.js';
import { lockOf } from '#database/key-rings/key-ring.js';
import type { EventStore } from '#event-store/event-store.js';
import { IdMint } from '#identifiers/id-mint.js';
import { foldRecorded, reject } from '#kernel/aggregate.js';
import { normaliseName } from '#kernel/names.js';
import { invalid, notFound, RejectedError, type Rejection } from '#kernel/rejection.js';
import type { Stream } from '#projections/projection.js';
import { Projector } from '#projections/projector.js';
import { ENDPOINT_URLS } from '../injection-tokens.js';
import { WebhookSecrets } from '../send/webhook-secrets.js';
import { type EndpointUrls, urlIssueOf } from '../url-guard/endpoint-url.js';
import { type GrantedScopes, subscriptionRejection } from './subscription-scopes.js';
import {
  countActiveBeside,
  decideWebhook,
  type Endpoint,
  endpointRejection,
  findSealedSecrets,
  findStop,
  findWebhook,
  lastChange,
  type SealedSecret,
  webhookAggregate,
  type WebhookCommand,
  type WebhookEvent,
  type WebhookRow,
  type WebhookState,
  type WebhookStop,
} from './webhook.js';

/** The dependencies of testing an endpoint. */
export interface TestServices extends CommandServices {
  readonly secrets: WebhookSecrets;
}

/** The dependencies of commands about endpoints. */
export interface WebhookServices extends TestServices {
  readonly executor: Pool;
  readonly urls: EndpointUrls;
}

/**
 * An endpoint, and its new secret; null if an earlier attempt of the same request recorded it, because it is
 * shown only once.
 */
export interface WebhookWithSecret {
  readonly webhook: WebhookRow;
  readonly signingSecret: string | null;
}

/** The changes of an endpoint. */
export interface WebhookChanges {
  readonly changes: Partial<Endpoint>;
  readonly status?: 'active' | 'disabled';
}

/**
 * Registers an endpoint. Throws {@link RejectedError}: an address that may not receive events, subscriptions
 * beyond the key's scopes, or too many active endpoints.
 */
export async function createWebhook(
  services: WebhookServices,
  context: CommandContext,
  requested: Endpoint,
  granted: GrantedScopes,
): Promise<WebhookWithSecret> {
  const { organisationId } = context;
  const id = services.mint.prefixed('webhook', organisationId, ...context.seed);
  const endpoint = normalise(requested) as Endpoint;
  refuse(endpointRejection(endpoint) ?? spellingRejection(services.urls, endpoint.url));
  // A repeat returns the endpoint of an earlier attempt, whatever its address resolves to now.
  const known = await services.store.readStream(webhookAggregate.streamOf(organisationId, id), { limit: 1 });
  if (known.length === 0) await vet(services.urls, endpoint.url);
  refuse(subscriptionRejection(granted, endpoint.subscribed_events));
  return commit(services, context, async (within) => {
    await holdActivations(within);
    const { signingSecret, secret } = await newSecret(services, id);
    const activeEndpoints = await countActiveBeside(services.executor, organisationId, id);
    const result = await decideOnWebhook(services, within, id, 'create', (state) =>
      decideWebhook({ type: 'create', endpoint, secret, activeEndpoints }, state),
    );
    return () => withSecret(id, signingSecret, result);
  });
}

/**
 * Changes an endpoint, disables it, or enables it again. Throws {@link RejectedError} as {@link
 * createWebhook} does; the caller needs the scopes of the current events, and of the new ones.
 */
export async function changeWebhook(
  services: WebhookServices,
  context: CommandContext,
  webhookId: string,
  requested: WebhookChanges,
  granted: GrantedScopes,
): Promise<WebhookRow> {
  const { organisationId } = context;
  const changes = normalise(requested.changes);
  refuse(
    endpointRejection(changes) ?? (changes.url === undefined ? null : spellingRejection(services.urls, changes.url)),
  );
  // A repeat is answered from the events of an earlier attempt, whatever the address resolves to now and
  // whatever happened to the endpoint since.
  if (
    !(await isRecorded(services.store, context, {
      stream: webhookAggregate.streamOf(organisationId, webhookId),
      part: 'change',
    }))
  ) {
    const known = await findWebhook(services.executor, organisationId, webhookId);
    if (known === null) throw new RejectedError(notFound('webhook_id', 'there is no such webhook'));
    if (changes.url !== undefined && changes.url !== known.url) await vet(services.urls, changes.url);
    await recordStop(services, context, webhookId);
  }
  const activates = requested.status === 'active';
  return commit(services, context, async (within) => {
    if (activates) await holdActivations(within);
    const result = await decideOnWebhook(services, within, webhookId, 'change', async (state) => {
      const rejection = subscriptionRejection(granted, subscriptionsAt(state, changes.subscribed_events));
      if (rejection !== null) return reject(rejection);
      const activeEndpoints = activates ? await countActiveBeside(services.executor, organisationId, webhookId) : 0;
      return decideWebhook({ type: 'change', ...requested, changes, activeEndpoints }, state);
    });
    return () => rowOf(webhookId, result.events);
  });
}

/**
 * Creates a new secret; the previous one signs for another 24 hours. Throws {@link RejectedError}: no such
 * endpoint, events beyond the key's scopes.
 */
export function rotateWebhookSecret(
  services: WebhookServices,
  context: CommandContext,
  webhookId: string,
  granted: GrantedScopes,
): Promise<WebhookWithSecret> {
  return commit(services, context, async (within) => {
    await holdSecrets(within, webhookId);
    const { signingSecret, secret } = await newSecret(services, webhookId);
    const result = await decideOnWebhook(services, within, webhookId, 'rotate', (state) => {
      const rejection = subscriptionRejection(granted, subscriptionsAt(state));
      return rejection === null ? decideWebhook({ type: 'rotate', secret }, state) : reject(rejection);
    });
    return () => withSecret(webhookId, signingSecret, result);
  });
}

/**
 * Disables an endpoint by a rule, in the one activation that the rule concerns; returns whether this call
 * disabled it.
 */
export function stopWebhook(
  services: WritingServices,
  context: CommandContext,
  webhookId: string,
  stop: WebhookStop,
): Promise<boolean> {
  return commit(services, context, async (within) => {
    const { outcome } = await decideOnWebhook(services, within, webhookId, 'stop', (state) =>
      decideWebhook({ type: 'stop', ...stop }, state),
    );
    return () => outcome === 'appended';
  });
}

/**
 * Records a pending stop by a rule before the endpoint changes, so that the change applies to a disabled
 * endpoint with the rule's reason. The stop stays recorded even if the request fails.
 */
async function recordStop(
  services: WebhookServices,
  { receipt: _, ...context }: CommandContext,
  webhookId: string,
): Promise<void> {
  const stop = await findStop(services.executor, context.organisationId, webhookId);
  if (stop !== null)
    await stopWebhook(services, { ...context, actor: { type: 'system', id: 'webhooks' } }, webhookId, stop);
}

/**
 * The events for which a caller needs the scopes to change an endpoint, its secret or its target: the current
 * and the new ones.
 */
function subscriptionsAt(state: WebhookState, named: readonly string[] = []): readonly string[] {
  if (state.status === 'none' || state.status === 'deleted') return [];
  return [...new Set([...state.endpoint.subscribed_events, ...named])];
}

/**
 * Commands that activate endpoints of an organisation run one at a time, so that each counts the active
 * endpoints correctly.
 */
function holdActivations({ unit, organisationId }: UnitContext): Promise<void> {
  return unit.hold({ shared: [lockOf('webhook_secrets')], exclusive: [`webhooks of ${organisationId}`] });
}

/**
 * The encryption key cannot be retired meanwhile: an encrypted secret must be recorded before a command that
 * retires the key counts its uses.
 */
function holdSecrets({ unit }: UnitContext, webhookId: string): Promise<void> {
  return unit.hold({ shared: [lockOf('webhook_secrets')], exclusive: [`secret of ${webhookId}`] });
}

/**
 * Encrypts an endpoint's secrets with the current key; the signing secrets do not change. Returns whether an
 * event was recorded: there is none if the secrets have the current key, were rotated in the meantime, or the
 * endpoint was deleted.
 */
export function resealWebhookSecrets(
  services: WebhookServices,
  context: CommandContext,
  webhookId: string,
): Promise<boolean> {
  return commit(services, context, async (within) => {
    await holdSecrets(within, webhookId);
    const from = await findSealedSecrets(services.executor, context.organisationId, webhookId);
    if (from === null) return () => false;
    const { secret, previous_secret: previous } = from;
    const to = {
      secret: await services.secrets.reseal(secret, webhookId),
      previous_secret: previous === null ? null : await services.secrets.reseal(previous, webhookId),
    };
    const { outcome } = await decideOnWebhook(services, within, webhookId, 'reseal', (state) =>
      decideWebhook({ type: 'reseal', from: { secret, previous_secret: previous }, to }, state),
    );
    return () => outcome === 'appended';
  });
}

async function newSecret(
  { secrets }: Pick<WebhookServices, 'secrets'>,
  webhookId: string,
): Promise<{ readonly signingSecret: string; readonly secret: SealedSecret }> {
  const signingSecret = secrets.create();
  return {
    signingSecret,
    secret: { secret: await secrets.seal(signingSecret, webhookId), secret_last_four: signingSecret.slice(-4) },
  };
}

/** Decides about an endpoint within a unit of work. */
export function decideOnWebhook(
  services: WritingServices,
  context: UnitContext,
  webhookId: string,
  part: WebhookCommand['type'],
  decide: StreamCommand<WebhookState, WebhookEvent>['decide'],
): Promise<CommandResult<WebhookState>> {
  const stream = webhookAggregate.streamOf(context.organisationId, webhookId);
  return handleCommand(services.store, context, {
    ...webhookAggregate,
    stream,
    decide,
    onConflict: 'decide_again',
    part,
  });
}

function withSecret(
  id: string,
  signingSecret: string,
  { events, outcome }: CommandResult<WebhookState>,
): WebhookWithSecret {
  return { webhook: rowOf(id, events), signingSecret: outcome === 'appended' ? signingSecret : null };
}

/** The endpoint right after a command, without later changes. */
function rowOf(id: string, events: Stream): WebhookRow {
  const state = foldRecorded(webhookAggregate, events);
  if (state.status === 'none' || state.status === 'deleted')
    throw new Error(`webhook ${id} was recorded, but does not exist`);
  const disabled = state.status === 'disabled' ? events.findLast(({ type }) => type === 'WebhookDisabled')! : null;
  return {
    id,
    ...state.endpoint,
    status: state.status,
    disabled_reason: state.status === 'disabled' ? state.reason : null,
    disabled_at: disabled === null ? null : new Date(disabled.recordedAt),
    secret_last_four: state.secret.secret_last_four,
    created_at: new Date(events[0]!.recordedAt),
    updated_at: new Date(lastChange(events).recordedAt),
  };
}

function normalise(fields: Partial<Endpoint>): Partial<Endpoint> {
  return fields.name === undefined ? fields : { ...fields, name: normaliseName(fields.name) };
}

function spellingRejection(urls: EndpointUrls, url: string): Rejection | null {
  const problem = urls.problemOf(url);
  return problem === null ? null : invalid('url', problem);
}

async function vet(urls: EndpointUrls, url: string): Promise<void> {
  try {
    await urls.vet(url);
  } catch (error) {
    const issue = urlIssueOf(error);
    throw issue === null ? error : new RejectedError(invalid('url', issue));
  }
}

function refuse(rejection: Rejection | null): void {
  if (rejection !== null) throw new RejectedError(rejection);
}

/** The dependencies of webhook commands, injected into handlers. */
@Injectable()
export class WebhookResourceServices implements WebhookServices, TestServices {
  constructor(
    @Inject(DATABASE_POOL) readonly executor: Pool,
    @Inject(EVENT_STORE) readonly store: EventStore,
    readonly projector: Projector,
    readonly mint: IdMint,
    readonly secrets: WebhookSecrets,
    @Inject(ENDPOINT_URLS) readonly urls: EndpointUrls,
  ) {}
}
