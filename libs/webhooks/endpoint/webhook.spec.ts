import { fold } from '#kernel/aggregate.js';
import {
  decideWebhook,
  type Endpoint,
  evolveWebhook,
  initialWebhook,
  MAX_ACTIVE_ENDPOINTS,
  type WebhookCommand,
  type WebhookEvent,
} from './webhook.js';

const ENDPOINT: Endpoint = {
  name: 'Payroll',
  url: 'https://hooks.example.com/in',
  subscribed_events: ['person.created', 'person.updated'],
};
const FIRST = { secret: 'k1.first', secret_last_four: 'rst=' };
const SECOND = { secret: 'k1.second', secret_last_four: 'ond=' };
const CREATED: WebhookEvent = { type: 'WebhookCreated', data: { ...ENDPOINT, ...FIRST } };
const ENABLED: WebhookEvent = { type: 'WebhookEnabled', data: {} };
const DELETED: WebhookEvent = { type: 'WebhookDeleted', data: {} };
const rotated = (secret: typeof FIRST): WebhookEvent => ({ type: 'WebhookSecretRotated', data: secret });
const disabled = (reason: 'caller' | 'delivery_failures' | 'delivery_overflow'): WebhookEvent => ({
  type: 'WebhookDisabled',
  data: { reason },
});
const changed = (changes: Partial<Endpoint>): WebhookEvent => ({ type: 'WebhookChanged', data: { changes } });

const after = (...given: readonly WebhookEvent[]) => fold({ initial: initialWebhook, evolve: evolveWebhook }, given);
const when = (command: WebhookCommand, ...given: readonly WebhookEvent[]) => decideWebhook(command, after(...given));
const create = (endpoint: Partial<Endpoint> = {}, activeEndpoints = 0): WebhookCommand => ({
  type: 'create',
  endpoint: { ...ENDPOINT, ...endpoint },
  secret: FIRST,
  activeEndpoints,
});
const change = (changes: Partial<Endpoint>, status?: 'active' | 'disabled', activeEndpoints = 0): WebhookCommand => ({
  type: 'change',
  changes,
  ...(status === undefined ? {} : { status }),
  activeEndpoints,
});
const stop = (activation: number): WebhookCommand => ({ type: 'stop', reason: 'delivery_failures', activation });
const rejection = (kind: string, field: string) => ({ rejection: { kind, details: [{ field }] } });

describe('a webhook that does not exist', () => {
  it('is created, and is active for the first time', () => {
    expect(when(create())).toEqual({ events: [CREATED] });
    expect(after(CREATED)).toEqual({
      status: 'active',
      endpoint: ENDPOINT,
      activation: 1,
      secret: FIRST,
      previousSecret: null,
    });
  });

  it.each<[string, Partial<Endpoint>, string]>([
    ['no name', { name: '' }, 'name'],
    ['a long name', { name: 'x'.repeat(201) }, 'name'],
    ['a blank address', { url: ' ' }, 'url'],
    ['a long address', { url: `https://hooks.example.com/${'x'.repeat(2_048)}` }, 'url'],
    ['no subscription', { subscribed_events: [] }, 'subscribed_events'],
    ['an event type twice', { subscribed_events: ['person.created', 'person.created'] }, 'subscribed_events'],
  ])('is refused with %s', (_, fields, field) => {
    expect(when(create(fields))).toMatchObject(rejection('invalid_request', field));
    expect(when(change(fields), CREATED)).toMatchObject(rejection('invalid_request', field));
  });

  it('is the tenth that is active, and not the eleventh', () => {
    expect(when(create({}, MAX_ACTIVE_ENDPOINTS - 1))).toEqual({ events: [CREATED] });
    expect(when(create({}, MAX_ACTIVE_ENDPOINTS))).toMatchObject(rejection('conflict', 'webhooks'));
  });

  it.each<WebhookCommand>([change({}), { type: 'rotate', secret: SECOND }, { type: 'delete' }])(
    'is not found by $type, before it was made and after it was deleted',
    (command) => {
      expect(when(command)).toMatchObject(rejection('not_found', 'webhook_id'));
      expect(when(command, CREATED, DELETED)).toMatchObject(rejection('not_found', 'webhook_id'));
    },
  );

  it('is not stopped, before it was made and after it was deleted', () => {
    expect(when(stop(1))).toEqual({ events: [] });
    expect(when(stop(1), CREATED, DELETED)).toEqual({ events: [] });
  });
});

describe('an active webhook', () => {
  it('is not created again', () => {
    expect(when(create(), CREATED)).toMatchObject(rejection('conflict', 'id'));
    expect(when(create(), CREATED, DELETED)).toMatchObject(rejection('conflict', 'id'));
  });

  it('records only what changes, and nothing where nothing does', () => {
    expect(when(change({ name: 'Payroll', url: 'https://other.example.com' }), CREATED)).toEqual({
      events: [changed({ url: 'https://other.example.com' })],
    });
    expect(when(change({ ...ENDPOINT }, 'active', MAX_ACTIVE_ENDPOINTS), CREATED)).toEqual({ events: [] });
    expect(when(change({}), CREATED)).toEqual({ events: [] });
  });

  it('is disabled by its caller, after what else changes', () => {
    expect(when(change({ name: 'Other' }, 'disabled'), CREATED)).toEqual({
      events: [changed({ name: 'Other' }), disabled('caller')],
    });
    expect(after(CREATED, disabled('caller'))).toMatchObject({ status: 'disabled', reason: 'caller', activation: 1 });
  });

  it('is stopped by a rule only in the activation that the rule concerns', () => {
    expect(when(stop(1), CREATED)).toEqual({ events: [disabled('delivery_failures')] });
    expect(when(stop(1), CREATED, disabled('caller'), ENABLED)).toEqual({ events: [] });
    expect(when(stop(2), CREATED, disabled('caller'), ENABLED)).toEqual({ events: [disabled('delivery_failures')] });
  });

  it('keeps the newest secret and the one before it', () => {
    expect(when({ type: 'rotate', secret: SECOND }, CREATED)).toEqual({ events: [rotated(SECOND)] });
    const third = { secret: 'k1.third', secret_last_four: 'ird=' };
    expect(after(CREATED, rotated(SECOND))).toMatchObject({ secret: SECOND, previousSecret: 'k1.first' });
    expect(after(CREATED, rotated(SECOND), rotated(third))).toMatchObject({
      secret: third,
      previousSecret: 'k1.second',
    });
  });

  it('is deleted', () => {
    expect(when({ type: 'delete' }, CREATED)).toEqual({ events: [DELETED] });
    expect(after(CREATED, DELETED)).toMatchObject({ status: 'deleted', endpoint: ENDPOINT });
  });
});

describe('a disabled webhook', () => {
  const GIVEN = [CREATED, disabled('delivery_overflow')];

  it('is enabled after what else changes, and is active once more', () => {
    expect(when(change({ name: 'Other' }, 'active'), ...GIVEN)).toEqual({
      events: [changed({ name: 'Other' }), ENABLED],
    });
    expect(after(...GIVEN, ENABLED)).toEqual({
      status: 'active',
      endpoint: ENDPOINT,
      activation: 2,
      secret: FIRST,
      previousSecret: null,
    });
  });

  it('is not enabled beside ten active ones, and changes nothing then; what does not enable it goes on', () => {
    expect(when(change({ name: 'Other' }, 'active', MAX_ACTIVE_ENDPOINTS), ...GIVEN)).toMatchObject(
      rejection('conflict', 'webhooks'),
    );
    expect(when(change({ name: 'Other' }, undefined, MAX_ACTIVE_ENDPOINTS), ...GIVEN)).toEqual({
      events: [changed({ name: 'Other' })],
    });
  });

  it('is not disabled again: the first reason stays', () => {
    expect(when(change({}, 'disabled'), ...GIVEN)).toEqual({ events: [] });
    expect(when(stop(1), ...GIVEN)).toEqual({ events: [] });
  });

  it('gets new secrets, and is deleted', () => {
    expect(when({ type: 'rotate', secret: SECOND }, ...GIVEN)).toEqual({ events: [rotated(SECOND)] });
    expect(when({ type: 'delete' }, ...GIVEN)).toEqual({ events: [DELETED] });
  });
});

describe('secrets that are sealed with another key', () => {
  const from = { secret: 'k1.second', previous_secret: 'k1.first' };
  const to = { secret: 'k2.second', previous_secret: 'k2.first' };
  const reseal = { type: 'reseal', from, to } as const;

  it('are recorded where they are what was sealed anew, and change nothing else', () => {
    const state = after(CREATED, rotated(SECOND));
    const decision = decideWebhook(reseal, state);
    expect(decision).toEqual({ events: [{ type: 'WebhookSecretsResealed', data: to }] });
    const resealed = after(CREATED, rotated(SECOND), { type: 'WebhookSecretsResealed', data: to });
    expect(resealed).toEqual({ ...state, secret: { ...SECOND, secret: 'k2.second' }, previousSecret: 'k2.first' });
    expect(decideWebhook(reseal, resealed)).toEqual({ events: [] });
  });

  it('are not recorded where the endpoint has others by now, is gone, or they are the same', () => {
    for (const state of [
      after(CREATED),
      after(CREATED, rotated(SECOND), { type: 'WebhookDeleted', data: {} }),
      initialWebhook,
    ]) {
      expect(decideWebhook(reseal, state)).toEqual({ events: [] });
    }
    expect(decideWebhook({ ...reseal, to: from }, after(CREATED, rotated(SECOND)))).toEqual({ events: [] });
  });
});

describe('a retry of a failed delivery', () => {
  const retry: WebhookCommand = { type: 'retry', deliveryId: 'whd_1' };
  const RETRIED: WebhookEvent = { type: 'WebhookDeliveryRetried', data: { delivery_id: 'whd_1' } };

  it('is recorded, and changes nothing of the endpoint', () => {
    expect(when(retry, CREATED)).toEqual({ events: [RETRIED] });
    expect(after(CREATED, RETRIED)).toEqual(after(CREATED));
  });

  it('is refused for an endpoint that is disabled or deleted', () => {
    expect(when(retry, CREATED, disabled('caller'))).toMatchObject(rejection('conflict', 'webhook'));
    expect(when(retry, CREATED, DELETED)).toMatchObject(rejection('not_found', 'webhook_id'));
  });
});
