import i18next from 'i18next';
import type { Schemas } from './client.js';

/** The reason for which an endpoint is disabled. */
export type DisabledReason = NonNullable<Schemas['WebhookResponse']['disabled_reason']>;

/** The explanation, and the remedy. */
export const reasonText = (reason: DisabledReason): string => i18next.t(`endpoint.reasons.${reason}`);

/** The state of a disabled endpoint in a few words: an endpoint that the service disabled needs attention. */
export function disabledState(reason: DisabledReason | null): {
  readonly tone: 'bad' | 'quiet';
  readonly text: string;
} {
  return reason === null || reason === 'caller'
    ? { tone: 'quiet', text: i18next.t('endpoint.disabled') }
    : { tone: 'bad', text: i18next.t('endpoint.disabledByService') };
}
