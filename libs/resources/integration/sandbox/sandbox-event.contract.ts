import { DateTimeField, EnumField, IdField, identifier, OneOfField, TextField } from '#http/fields.js';
import { EVENT_TYPES } from '../webhook/webhook.contract.js';

/** Ids of everything that an event is about; time-off settings use the id of the organisation. */
const RESOURCE_IDS = (['person', 'timeOff', 'timeOffCategory', 'orgUnit', 'workingPattern', 'webhook', 'organisation'] as const).map(
  identifier,
);

export class TriggerEventRequest {
  @EnumField(EVENT_TYPES, { description: 'The key needs the scope of its type.', example: 'person.updated' })
  readonly event_type!: string;
  @OneOfField(RESOURCE_IDS, {
    optional: true,
    description: 'A resource of the sandbox of the kind that the type names. By default one is chosen; for people, the first by staff id.',
    example: '7k2m9x4qpz3d',
  })
  readonly resource_id?: string;
}

/** The fields that receivers read in the envelope of the event. */
export class TriggeredEventResponse {
  @IdField('event')
  readonly event_id!: string;
  @EnumField(EVENT_TYPES, { example: 'person.updated' })
  readonly event_type!: string;
  @TextField({ example: '7k2m9x4qpz3d' })
  readonly resource_id!: string;
  @TextField({ description: 'The family of the event.', example: 'person' })
  readonly resource_type!: string;
  @DateTimeField()
  readonly occurred_at!: string;
}
