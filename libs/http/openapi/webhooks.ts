import type { JsonObject } from '#kernel/json.js';
import { DateTimeField, EnumField, IdField, ObjectField, TextField } from '../fields.js';
import { exampleOf } from '../fields/example.js';
import type { SchemaRegistry } from '../fields/json-schema.js';
import { WEBHOOK_EVENTS_TAG } from './tags.js';
import { WEBHOOK_EVENTS, type WebhookEventType } from '#kernel/webhook-events.js';

const EVENT_TYPES = Object.keys(WEBHOOK_EVENTS) as WebhookEventType[];

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

  @EnumField(EVENT_TYPES, { example: 'person.updated' })
  readonly type!: string;

  @EnumField(['v1'])
  readonly api_version!: string;

  @DateTimeField()
  readonly occurred_at!: string;

  @ObjectField(() => WebhookResource)
  readonly data!: WebhookResource;
}

/** The service's reaction to the receiver's response; tests hold the sender to this table. */
const RESPONSES: JsonObject = {
  '2XX': { description: 'Delivered. The response body is ignored.' },
  '408': { description: 'Retried, up to ten attempts within about a day.' },
  '429': { description: 'Retried, not before `Retry-After`, up to ten attempts within about a day.' },
  '5XX': {
    description: 'Retried, up to ten attempts within about a day; no answer within 15 seconds counts as one of these.',
  },
  default: { description: 'Failed at once, without a retry. Redirects are not followed.' },
};

/** The description of an event of a family; `approved` and the like are the words of the event types. */
const HAPPENED: Readonly<Record<string, string>> = {
  'webhook.test': 'A test event was sent to the endpoint; the resource did not change.',
  'person.updated': 'A person changed, or a change of their employment took effect.',
  'time_off.approved': 'Time off was approved. `time_off.updated` is sent as well.',
  'time_off.declined': 'Time off was rejected. `time_off.updated` is sent as well.',
  'time_off_settings.updated': "The organisation's time off settings changed; `data.id` is the organisation's id.",
};

/** Returns the `webhooks` section: one entry for each event type. */
export function webhookObjects(registry: SchemaRegistry): JsonObject {
  const schema = registry.refer(WebhookEnvelope, 'response');
  const { data, ...example } = exampleOf(WebhookEnvelope) as JsonObject & { readonly data: JsonObject };
  return Object.fromEntries(
    EVENT_TYPES.map((type) => {
      const [family, happened] = type.split('.') as [string, string];
      const value = { ...example, type, data: { ...data, resource_type: family } };
      return [
        type,
        {
          post: {
            operationId: `receive${[...family.split('_'), happened].map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')}`,
            summary: `Sent to endpoints that subscribe to ${type}.`,
            description: `${HAPPENED[type] ?? `A resource of the family \`${family}\` was ${happened}.`} Read the resource for its current state: events report that something changed, not the new values.`,
            tags: [WEBHOOK_EVENTS_TAG],
            'x-service-required-scope': WEBHOOK_EVENTS[type],
            requestBody: { required: true, content: { 'application/json': { schema, example: value } } },
            responses: RESPONSES,
          },
        },
      ];
    }),
  );
}
