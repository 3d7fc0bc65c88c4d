export { answerOf, createClient, type Client, type ClientOptions } from './client.js';
export { pages } from './pages.js';
export { retryingFetch, type RetryOptions } from './retrying-fetch.js';
export { type ErrorDetail, WorkforceError } from './workforce-error.js';
export { verifyWebhook, WebhookVerificationError, type WebhookEvent, type WebhookVerification } from './webhooks.js';
export type { Answer, CallOptions, TaggedWriteOptions, WriteOptions } from './calls.js';
export { CONTRACT_VERSION } from './generated/resources.js';
export type * from './generated/resources.js';
export type { components, operations, paths } from './generated/schema.js';
