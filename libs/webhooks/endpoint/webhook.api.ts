import { Controller, Delete, Get, Inject, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import { DATABASE_POOL } from '#commands/injection-tokens.js';
import { defineResource } from '#commands/resource.js';
import type { Answer, Call } from '#http/call.js';
import { CursorCodec } from '#http/cursors/cursor.js';
import { Operation, type OperationOptions, Receive } from '#http/operation.js';
import { byCreatedAt, readPage } from '#http/pages.js';
import { send } from '#http/send.js';
import { namedFields } from '#kernel/json.js';
import { found } from '#kernel/rejection.js';
import { EXCHANGES_MIGRATION } from '../deliver/exchanges.table.js';
import { DeliveryController } from './delivery.api.js';
import { DeliveryAdder } from './manage-deliveries.js';
import { WebhookResourceServices, type WebhookWithSecret } from './manage-webhooks.js';
import { sendAboutWebhook } from './send-about-webhook.js';
import {
  ChangeWebhook,
  CreateWebhook,
  DeleteWebhook,
  RotateWebhookSecret,
  WEBHOOK_COMMAND_HANDLERS,
} from './webhook-handlers.js';
import {
  CreateWebhookRequest,
  UpdateWebhookRequest,
  WebhookParameters,
  WebhookResponse,
  WebhooksQuery,
  WebhookWithSecretResponse,
} from './webhook-shapes.js';
import {
  findWebhook,
  listWebhooks,
  REASONS_OF_WEBHOOKS_MIGRATION,
  webhookAggregate,
  webhookProjection,
  WEBHOOKS_SCHEMA,
} from './webhook.js';
import { WEBHOOK_WORKER_HANDLERS } from './worker-commands.js';

const COMMON = { tags: ['Webhooks'], scope: 'webhooks:manage' } as const;
/** Changes of endpoints have budgets of their own. */
const LIFECYCLE = { ...COMMON, rateLimit: 'webhook', write: { ifMatch: 'none' } } satisfies Partial<OperationOptions>;
const SHOWS_SECRET = {
  response: WebhookWithSecretResponse,
  redactForReplay: (data) => ({ ...data, signing_secret: null }),
} satisfies Partial<OperationOptions>;

type WebhookCall<Body = undefined> = Call<Body, unknown, WebhookParameters>;

@Controller('webhooks')
class WebhookController {
  constructor(
    @Inject(DATABASE_POOL) private readonly pool: Pool,
    private readonly cursors: CursorCodec,
    private readonly commands: CommandBus,
  ) {}

  @Get()
  @Operation({
    ...COMMON,
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: 'In the order of creation, including disabled ones.',
    capability: 'webhooks.list',
    tools: [
      {
        name: 'list_webhooks',
        title: 'List the webhook endpoints',
        description:
          'Lists the endpoints that receive events, with their subscriptions and whether they are active. Use it to ' +
          'find the id that list_webhook_deliveries needs.',
      },
    ],
    query: WebhooksQuery,
    response: WebhookResponse,
    responseKind: 'page',
  })
  async list(@Receive() call: Call<undefined, WebhooksQuery>): Promise<Answer> {
    const organisationId = call.key.organisation.id;
    const request = { organisationId, filters: {}, query: call.query };
    const { rows, nextCursor } = await readPage(this.cursors, byCreatedAt('listWebhooks'), request, (after, count) =>
      listWebhooks(this.pool, { organisationId, after, count }),
    );
    return { data: rows, nextCursor };
  }

  @Post()
  @Operation({
    ...LIFECYCLE,
    ...SHOWS_SECRET,
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'An organisation may have at most 10 active webhooks. Only this response shows the signing secret; a replay ' +
      'shows null. The key needs the scope of each subscribed event.',
    capability: 'webhooks.create',
    body: CreateWebhookRequest,
    successStatus: 201,
  })
  create(@Receive() call: Call<CreateWebhookRequest>): Promise<Answer> {
    const { name, url, subscribed_events } = call.body;
    const endpoint = { name, url, subscribed_events };
    return send(this.commands, call, (context) => new CreateWebhook(context, endpoint, call.key.scopes), answerOnce);
  }

  @Get(':webhookId')
  @Operation({
    ...COMMON,
    operationId: 'getWebhook',
    summary: 'Read a webhook',
    description: 'Returns the endpoint without its signing secret, which is shown only when it is created.',
    capability: 'webhooks.read',
    parameters: WebhookParameters,
    response: WebhookResponse,
  })
  async read(@Receive() call: WebhookCall): Promise<Answer> {
    const row = found(await findWebhook(this.pool, call.key.organisation.id, call.parameters.webhookId));
    return { data: row };
  }

  @Patch(':webhookId')
  @Operation({
    ...LIFECYCLE,
    operationId: 'updateWebhook',
    summary: 'Change, disable or enable a webhook',
    description:
      'A request without a change records nothing. The key needs the scope of each current event of the webhook, and ' +
      'of each new one. Events missed while it was disabled are not sent automatically.',
    capability: 'webhooks.update',
    parameters: WebhookParameters,
    body: UpdateWebhookRequest,
    response: WebhookResponse,
  })
  update(@Receive() call: WebhookCall<UpdateWebhookRequest>): Promise<Answer> {
    const { name, url, subscribed_events, status } = call.body;
    const requested = { changes: namedFields({ name, url, subscribed_events }), ...namedFields({ status }) };
    return sendAboutWebhook(
      this.commands,
      call,
      (context) => new ChangeWebhook(context, call.parameters.webhookId, call.key.scopes, requested),
      (data) => ({ data }),
    );
  }

  @Delete(':webhookId')
  @Operation({
    ...LIFECYCLE,
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    description: 'No more events are sent to it, and its deliveries can no longer be read.',
    capability: 'webhooks.delete',
    parameters: WebhookParameters,
    response: null,
  })
  delete(@Receive() call: WebhookCall): Promise<Answer> {
    return sendAboutWebhook(this.commands, call, (context) => new DeleteWebhook(context, call.parameters.webhookId));
  }

  @Post(':webhookId/rotate-secret')
  @Operation({
    ...LIFECYCLE,
    ...SHOWS_SECRET,
    operationId: 'rotateWebhookSecret',
    summary: 'Replace the signing secret of a webhook',
    description:
      'The previous secret signs in addition to the new one for another 24 hours. The key needs the scope of each ' +
      'subscribed event. Only this response shows the new one; a replay shows null.',
    capability: 'webhooks.rotate_secret',
    parameters: WebhookParameters,
  })
  rotate(@Receive() call: WebhookCall): Promise<Answer> {
    const { parameters, key } = call;
    return sendAboutWebhook(
      this.commands,
      call,
      (context) => new RotateWebhookSecret(context, parameters.webhookId, key.scopes),
      answerOnce,
    );
  }
}

/** An endpoint with its secret, which no later response shows. */
function answerOnce({ webhook, signingSecret }: WebhookWithSecret): Answer {
  return { data: { ...webhook, signing_secret: signingSecret } };
}

/** Webhook endpoints and their deliveries. */
export const webhookResource = defineResource({
  area: 'integration',
  aggregates: [webhookAggregate],
  projections: [webhookProjection],
  schema: WEBHOOKS_SCHEMA,
  migrations: [REASONS_OF_WEBHOOKS_MIGRATION, EXCHANGES_MIGRATION],
  controllers: [WebhookController, DeliveryController],
  handlers: [WebhookResourceServices, DeliveryAdder, ...WEBHOOK_COMMAND_HANDLERS, ...WEBHOOK_WORKER_HANDLERS],
});
