import type { components } from '@workforce-hr/client';

export type Schemas = components['schemas'];

// Types of answers in tests, from the OpenAPI document. Their fields at run time are in
// `test/support/contract/shapes.ts`, and every answer of a test is compared with the document.
export type Person = Schemas['PersonResponse'];
export type Employment = Schemas['EmploymentResponse'];
export type Fact = Schemas['FactResponse'];
export type Segment = Schemas['SegmentResponse'];
/** With the members of every way to ask for one. */
export type Timeline = Required<Schemas['TimelineResponse']>;
export type TimeOff = Schemas['TimeOffResponse'];
/** With the secret where an answer shows it. */
export type Webhook = Schemas['WebhookResponse'] & Partial<Schemas['WebhookWithSecretResponse']>;
export type Delivery = Schemas['DeliveryResponse'];
export type TestAnswer = Schemas['TestWebhookResponse'];
