import { presentHealth } from '#webhooks/endpoint/delivery-shapes.js';
import type { WebhookWithSecret } from '#webhooks/endpoint/manage-webhooks.js';
import { type DeliveryHealth, findDeliveryHealth } from '#webhooks/endpoint/read-deliveries.js';
import type { Endpoint, WebhookRow } from '#webhooks/endpoint/webhook.js';
import {
  ChangeWebhook,
  CreateWebhook,
  DeleteWebhook,
  RotateWebhookSecret,
  TestWebhook,
} from '#webhooks/endpoint/webhook-handlers.js';
import { findNotices } from '#webhooks/publish/notices.js';
import { command } from '../command.js';
import type { Outcome } from '../declaration.js';
import { argument, fieldsOf, flag, NOTHING_TO_CHANGE, ORGANISATION, required, setting, text } from '../options.js';
import { type Columns, listOf } from '../text-table.js';
import { eventTypesOf, eventTypesText } from '../work/event-types.js';
import { allEndpoints, deliveryCommands, requireEndpoint } from './webhook-deliveries.js';
import { listen } from './webhook-listen.js';

/** An operator may subscribe to everything. */
const ALL_SCOPES = null;

const WEBHOOK = { webhook: argument('id of the endpoint') };
const NAME = text('<name>', 'what it is for');
const URL = text('<url>', 'a public https address');

function eventsOption(description: string) {
  return setting('subscribed_events', text('<types>', description, eventTypesOf));
}

const CHANGES = {
  name: NAME,
  url: URL,
  events: eventsOption('event types, comma-separated, or all; replaces the current ones'),
};

/** `workforce webhooks …`: an organisation's endpoints, their deliveries, and a receiver for tests. */
export const commands = {
  list: command({
    description: 'list all endpoints with the number of their deliveries in each state',
    options: { organisation: ORGANISATION },
    run: async ({ organisation: { id: organisationId } }, { pool }) => {
      const endpoints = await allEndpoints(pool, organisationId);
      const found = await Promise.all(
        endpoints.map(async (endpoint) => {
          const health = await findDeliveryHealth(pool, organisationId, endpoint.id);
          // An endpoint that was deleted in the meantime has no health.
          return health === null ? [] : [{ ...endpoint, health }];
        }),
      );
      const columns: Columns<WebhookRow & { readonly health: DeliveryHealth }> = {
        ID: 'id',
        NAME: 'name',
        URL: 'url',
        STATUS: statusText,
        PENDING: ({ health }) => health.pending,
        RETRY: ({ health }) => health.retry_scheduled,
        DELIVERED: ({ health }) => health.delivered,
        FAILED: ({ health }) => health.failed,
        EVENTS: (one) => eventTypesText(one.subscribed_events),
      };
      return listOf('webhooks', found.flat(), columns, ({ health, ...endpoint }) => {
        const { webhook_id: _, ...presented } = presentHealth(endpoint.id, health) as { readonly webhook_id: string };
        return { ...endpoint, ...presented };
      });
    },
  }),
  create: command({
    description: 'create an endpoint; its signing secret is shown only once',
    options: {
      organisation: ORGANISATION,
      name: required(NAME),
      url: required(URL),
      events: required(eventsOption('event types, comma-separated, or all')),
    },
    run: async ({ name, url, events: subscribed_events }, { send }) => {
      const endpoint: Endpoint = { name, url, subscribed_events };
      return secretOutcome('Created', await send((context) => new CreateWebhook(context, endpoint, ALL_SCOPES)));
    },
  }),
  update: command({
    alias: 'change',
    description: 'change an endpoint, disable it, or enable it again',
    arguments: WEBHOOK,
    options: {
      organisation: ORGANISATION,
      ...CHANGES,
      enable: flag('resume deliveries to it', 'disable'),
      disable: flag('stop deliveries to it'),
    },
    changes: NOTHING_TO_CHANGE,
    run: async (given, { send }) => {
      const changes = fieldsOf(given, CHANGES) as Partial<Endpoint>;
      const status = given.enable ? 'active' : given.disable ? 'disabled' : null;
      const requested = status === null ? { changes } : ({ changes, status } as const);
      const changed = await send((context) => new ChangeWebhook(context, given.webhook, ALL_SCOPES, requested));
      return { json: changed, text: `Changed ${described(changed)}.` };
    },
  }),
  'rotate-secret': command({
    description: 'make a new signing secret, which is shown only once; the previous one also signs for 24 hours',
    arguments: WEBHOOK,
    options: { organisation: ORGANISATION },
    run: async ({ webhook }, { send }) => {
      const rotated = await send((context) => new RotateWebhookSecret(context, webhook, ALL_SCOPES));
      return secretOutcome('The previous secret also signs for 24 hours. Rotated', rotated);
    },
  }),
  delete: command({
    description: 'delete an endpoint permanently, with its deliveries',
    arguments: WEBHOOK,
    options: { organisation: ORGANISATION },
    run: async ({ webhook, organisation }, { pool, send }) => {
      const known = await requireEndpoint(pool, organisation.id, webhook);
      await send((context) => new DeleteWebhook(context, known.id));
      return { json: known, text: `Deleted ${known.name} (${known.id}).` };
    },
  }),
  test: command({
    description: 'send the synthetic event webhook.test to an endpoint',
    arguments: WEBHOOK,
    options: { organisation: ORGANISATION },
    run: async ({ webhook }, { send }) => {
      const tested = await send((context) => new TestWebhook(context, webhook, ALL_SCOPES));
      const { deliveryId: delivery_id, headers, payload } = tested;
      const text = `Queued ${payload.type} as ${delivery_id}: workforce webhooks delivery shows its state.`;
      return { json: { delivery_id, headers, payload }, text };
    },
  }),
  notices: command({
    description: 'list notices to the admins of an organisation, newest first',
    options: { organisation: ORGANISATION },
    run: async ({ organisation }, { pool }) =>
      listOf(
        'notices',
        await findNotices(pool, organisation.id),
        { CREATED: 'createdAt', STATE: ({ sentAt }) => (sentAt === null ? 'waits' : 'sent'), NOTICE: 'text' },
        ({ id, kind, subjectId: subject_id, text, createdAt: created_at, sentAt: sent_at }) => {
          return { id, kind, subject_id, text, created_at, sent_at };
        },
      ),
  }),
  ...deliveryCommands,
  listen,
};

/** A random context never repeats a request, so the response always has the secret. */
function secretOutcome(done: string, { webhook, signingSecret }: WebhookWithSecret): Outcome {
  const text = `${signingSecret}\n\nThe secret is shown only once. ${done} ${described(webhook)}.`;
  return { json: { ...webhook, signing_secret: signingSecret }, text };
}

function described(endpoint: WebhookRow): string {
  return `${endpoint.name} (${endpoint.id}): ${endpoint.url}, ${statusText(endpoint)}, events: ${eventTypesText(endpoint.subscribed_events)}`;
}

function statusText({ status, disabled_reason: reason, disabled_at: at }: WebhookRow): string {
  return at === null ? status : `${status} since ${at.toISOString()} (${reason})`;
}
