import { DateTimeField, EnumField, enumeration, IdField, ListField, TextField } from '#http/fields.js';
import { PageQuery } from '#http/pages.js';
import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';
import { MAX_NAME_LENGTH } from '#kernel/names.js';
import { DISABLED_REASONS, type DisabledReason, MAX_URL_LENGTH } from './webhook.js';

/** A name that resolves: endpoints with other names are refused. */
const URL_EXAMPLE = 'https://example.com/workforce-hooks';
const EVENTS_EXAMPLE = ['person.created', 'person.updated'];
const STATUSES = ['active', 'disabled'] as const;

/** Every event type, including those that no catalogue lists. */
export const EVENT_TYPES = Object.keys(WEBHOOK_EVENTS);

/** Where events are sent (decisions: "Webhooks"). */
export class WebhookResponse {
  @IdField('webhook')
  readonly id!: string;
  @TextField({ maximumLength: MAX_NAME_LENGTH, example: 'Payroll' })
  readonly name!: string;
  @TextField({ maximumLength: MAX_URL_LENGTH, example: URL_EXAMPLE })
  readonly url!: string;
  @ListField(enumeration(EVENT_TYPES), { maximumItems: EVENT_TYPES.length, example: EVENTS_EXAMPLE })
  readonly subscribed_events!: readonly string[];
  @EnumField(STATUSES, { description: 'No events are sent while it is disabled.' })
  readonly status!: 'active' | 'disabled';
  @EnumField(DISABLED_REASONS, {
    nullable: true,
    description:
      'caller: by a request; delivery_failures: ten deliveries failed permanently; delivery_overflow: too many ' +
      'deliveries waited; gone: the receiver answered 410. Null while active.',
    example: null,
  })
  readonly disabled_reason!: DisabledReason | null;
  @DateTimeField({ nullable: true, description: 'Null while active.', example: null })
  readonly disabled_at!: string | null;
  @TextField({ maximumLength: 4, description: 'The end of the newest signing secret.', example: 'Yx8=' })
  readonly secret_last_four!: string;
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField()
  readonly updated_at!: string;
}

export class WebhookWithSecretResponse extends WebhookResponse {
  @TextField({
    maximumLength: 50,
    nullable: true,
    description: 'Shown once: null in the response to a repeated request.',
    example: 'whsec_c2lnbmluZ19zZWNyZXRfb2ZfMzJfYnl0ZXNfX19fXw==',
  })
  readonly signing_secret!: string | null;
}

export class WebhookParameters {
  @IdField('webhook', { description: 'Id of the webhook.' })
  readonly webhookId!: string;
}

export class WebhooksQuery extends PageQuery {}

export class CreateWebhookRequest {
  @TextField({ minimumLength: 1, maximumLength: MAX_NAME_LENGTH, example: 'Payroll' })
  readonly name!: string;
  @TextField({
    minimumLength: 1,
    maximumLength: MAX_URL_LENGTH,
    description: 'A public https address, without credentials and fragment.',
    example: URL_EXAMPLE,
  })
  readonly url!: string;
  @ListField(enumeration(EVENT_TYPES), {
    minimumItems: 1,
    maximumItems: EVENT_TYPES.length,
    description: 'Each once. The key needs the scope of each.',
    example: EVENTS_EXAMPLE,
  })
  readonly subscribed_events!: readonly string[];
}

export class UpdateWebhookRequest {
  @TextField({ minimumLength: 1, maximumLength: MAX_NAME_LENGTH, optional: true, example: 'Payroll' })
  readonly name?: string;
  @TextField({
    minimumLength: 1,
    maximumLength: MAX_URL_LENGTH,
    optional: true,
    description: 'A public https address, without credentials and fragment.',
    example: URL_EXAMPLE,
  })
  readonly url?: string;
  @ListField(enumeration(EVENT_TYPES), {
    minimumItems: 1,
    maximumItems: EVENT_TYPES.length,
    optional: true,
    description: 'The whole list, which replaces the current one, each type once. The key needs the scope of each.',
    example: EVENTS_EXAMPLE,
  })
  readonly subscribed_events?: readonly string[];
  @EnumField(STATUSES, {
    optional: true,
    description: 'active enables it again; the key then needs the scope of each subscription.',
  })
  readonly status?: 'active' | 'disabled';
}
