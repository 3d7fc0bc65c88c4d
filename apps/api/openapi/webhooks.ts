import type { JsonObject } from '#kernel/json.js';
import { exampleOf } from '#http/fields/example.js';
import type { SchemaRegistry } from '#http/fields/json-schema.js';
import { WebhookEnvelope } from '#webhooks/endpoint/webhook-envelope.js';
import { WEBHOOK_EVENTS_TAG } from './tags.js';
import { WEBHOOK_EVENTS, type WebhookEventType } from '#kernel/webhook-events.js';

/** The service's reaction to the receiver's response; tests compare the sender with this table. */
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
    (Object.keys(WEBHOOK_EVENTS) as WebhookEventType[]).map((type) => {
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
