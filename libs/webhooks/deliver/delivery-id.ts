import type { IdMint } from '#identifiers/id-mint.js';

/** The id of the one delivery of an event to an endpoint (contract part 6, Service-Webhook-Delivery-Id). */
export function deliveryIdOf(mint: IdMint, organisationId: string, webhookId: string, eventId: string): string {
  return mint.prefixed('webhookDelivery', organisationId, webhookId, eventId);
}
