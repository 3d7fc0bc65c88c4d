import { DateTimeField, EnumField, IdField, ObjectField, TextField } from '#http/fields.js';
import { EVENT_TYPES } from './webhook-shapes.js';

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
