import type { Row, Stream } from '#projections/projection.js';
import { oneRowProjection } from '#projections/one-row-table.js';
import { type WebhookEvent, type WebhookState, webhookAggregate } from './webhook.decider.js';

/** Deletes the waiting deliveries of a deleted endpoint, so that they are not sent and no longer count as waiting. */
const FORGOTTEN = `
forgotten as (
  delete from webhook_deliveries d using input i join head using (organisation_id, id)
   where i.status = 'deleted' and d.organisation_id = i.organisation_id and d.webhook_id = i.id and d.status in ('pending', 'retry_scheduled')
)`;

/** Webhook endpoints; deleted ones are included, but without their secrets. */
export const webhookProjection = oneRowProjection(webhookAggregate, {
  table: 'webhooks',
  columns: [
    'name',
    'url',
    'subscribed_events',
    'status',
    'disabled_reason',
    'disabled_at',
    'activation',
    'activated_position',
    'secret',
    'secret_last_four',
    'previous_secret',
    'rotated_at',
  ],
  besideLive: FORGOTTEN,
  row: (state, stream) => {
    const disabled = state.status === 'disabled' ? lastOf(stream, 'WebhookDisabled') : undefined;
    return {
      ...state.endpoint,
      status: state.status,
      disabled_reason: state.status === 'disabled' ? state.reason : null,
      disabled_at: disabled?.recordedAt ?? null,
      activation: state.activation,
      activated_position: lastOf(stream, 'WebhookCreated', 'WebhookEnabled')!.position,
      ...secretsOf(state),
      updated_at: lastChange(stream).recordedAt,
      rotated_at: lastOf(stream, 'WebhookSecretRotated')?.recordedAt ?? null,
    };
  },
});

function secretsOf(state: Exclude<WebhookState, { status: 'none' }>): Row {
  if (state.status === 'deleted') return { secret: '', secret_last_four: '', previous_secret: null };
  return { ...state.secret, previous_secret: state.previousSecret };
}

/** Events that change nothing that an endpoint shows. */
const UNSHOWN: ReadonlySet<string> = new Set<WebhookEvent['type']>(['WebhookSecretsResealed', 'WebhookDeliveryRetried']);

/** The last event that changed a shown part of an endpoint. */
export function lastChange(stream: Stream): Stream[number] {
  return stream.findLast(({ type }) => !UNSHOWN.has(type))!;
}

function lastOf(stream: Stream, ...types: readonly WebhookEvent['type'][]): Stream[number] | undefined {
  return stream.findLast(({ type }) => (types as readonly string[]).includes(type));
}
