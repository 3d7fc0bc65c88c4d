import { DEFAULT_RATE_LIMITS } from '#http/rate-limit/rate-limits.js';
import type { ApiConfiguration } from '#api/listener.js';

/** The limits of an installation that sets none, and a log that says nothing. */
export const DEFAULT_CONFIGURATION: ApiConfiguration = {
  host: '127.0.0.1',
  logLevel: 'silent',
  rateLimitKey: DEFAULT_RATE_LIMITS.key,
  rateLimitKeyWrites: DEFAULT_RATE_LIMITS.keyWrites,
  rateLimitOrganisation: DEFAULT_RATE_LIMITS.organisation,
  rateLimitWebhookKey: DEFAULT_RATE_LIMITS.webhookKey,
  rateLimitWebhookOrganisation: DEFAULT_RATE_LIMITS.webhookOrganisation,
  rateLimitFailedAuth: DEFAULT_RATE_LIMITS.failedAuthentication,
  publicUrl: null,
  sandboxPublicUrl: null,
  avatarUrlTtlSeconds: 300,
  webhookAllowedCidrs: [],
  trustedProxies: [],
};
