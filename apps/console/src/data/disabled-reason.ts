import type { Schemas } from './client.js';

/** The reason for which an endpoint is disabled. */
export type DisabledReason = NonNullable<Schemas['WebhookResponse']['disabled_reason']>;

/** The explanation, and the remedy. */
export const REASONS: Readonly<Record<DisabledReason, string>> = {
  caller: 'A user or an API key disabled it.',
  delivery_failures:
    'Ten deliveries failed for good, so the service disabled the endpoint. Repair the receiver, enable the endpoint, ' +
    'and resend what it missed.',
  delivery_overflow:
    'Too many deliveries waited, so the service disabled the endpoint. Enable it when the receiver keeps up.',
  gone:
    'The receiver answered 410 Gone, which asks for no more events, so the service disabled ' +
    'the endpoint. Change the ' +
    'address, or enable the endpoint if that was a mistake.',
};

/** The state of a disabled endpoint in a few words: an endpoint that the service disabled needs attention. */
export function disabledState(reason: DisabledReason | null): {
  readonly tone: 'bad' | 'quiet';
  readonly text: string;
} {
  return reason === null || reason === 'caller'
    ? { tone: 'quiet', text: 'disabled' }
    : { tone: 'bad', text: 'disabled by the service' };
}
