import type { JsonObject } from '#kernel/json.js';
import { DateTimeField, EnumField, IdField, ObjectField, TextField } from '../fields.js';
import { exampleOf } from '../fields/example.js';
import type { SchemaRegistry } from '../fields/json-schema.js';
import { CATALOGUED_WEBHOOK_EVENTS, WEBHOOK_EVENTS } from '#kernel/webhook-events.js';

/** The resource that an event is about. */
export class WebhookResource {
  @TextField({ description: 'The id of the resource.', example: '0a1b2c3d4e5f' })
  readonly id!: string;

  @TextField({ description: 'The family of the event.', example: 'person' })
  readonly resource_type!: string;
}

/** The body of every delivery (contract part 6): these five fields only. */
export class WebhookEnvelope {
  @IdField('event')
  readonly id!: string;

  @EnumField(CATALOGUED_WEBHOOK_EVENTS, { example: 'person.updated' })
  readonly type!: string;

  @EnumField(['v1'])
  readonly api_version!: string;

  @DateTimeField()
  readonly occurred_at!: string;

  @ObjectField(() => WebhookResource)
  readonly data!: WebhookResource;
}

/** Returns the `webhooks` section: one entry for each catalogued event type. */
export function webhookObjects(registry: SchemaRegistry): JsonObject {
  const schema = registry.refer(WebhookEnvelope);
  const example = exampleOf(WebhookEnvelope);
  return Object.fromEntries(
    CATALOGUED_WEBHOOK_EVENTS.map((type) => [
      type,
      {
        post: {
          summary: `Sent to endpoints that subscribe to ${type}.`,
          tags: ['Webhook events'],
          'x-service-required-scope': WEBHOOK_EVENTS[type],
          requestBody: { required: true, content: { 'application/json': { schema, example: { ...example, type } } } },
          responses: { '2XX': { description: 'Accepted. Anything else is tried again.' } },
        },
      },
    ]),
  );
}
