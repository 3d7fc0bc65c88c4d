import { Writable } from 'node:stream';
import type { Pool } from 'pg';
import type { ApiConfiguration } from '#api/listener.js';
import { startApi } from '#api/start-api.js';
import { createLogger, type Logger } from '#configuration/logger.js';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { DEFAULT_CONFIGURATION } from '../http/default-configuration.js';
import { type TestApi, UNLIMITED } from './test-api.js';
import { testWebhooks } from './webhooks.js';

/** An instance with its most verbose log. */
export interface LoggedInstance {
  readonly url: string;
  readonly logger: Logger;
  /** Returns every line so far. */
  said(): string;
  stop(): Promise<void>;
}

/**
 * Starts another instance of an API over its database, with the product's own logger at its most verbose
 * level.
 *
 * @param limits - settings that differ from those without limits
 */
export async function startLogged(api: TestApi, limits: Partial<ApiConfiguration> = {}): Promise<LoggedInstance> {
  let log = '';
  const stream = new Writable({ write: (chunk: Buffer, _encoding, done) => ((log += chunk.toString()), done()) });
  const logger = createLogger('trace', stream);
  const requests = {
    rateLimitKey: UNLIMITED,
    rateLimitKeyWrites: UNLIMITED,
    rateLimitOrganisation: UNLIMITED,
    rateLimitFailedAuth: UNLIMITED,
    rateLimitImports: UNLIMITED,
    rateLimitPublic: UNLIMITED,
  };
  const unlimited = { ...requests, rateLimitWebhookKey: UNLIMITED, rateLimitWebhookOrganisation: UNLIMITED };
  const pool: Pool = api.database.pool;
  const settings = {
    pool,
    eventStore: api.services.store,
    keys: await loadInstallationKeys(pool),
    environment: 'live',
    port: 0,
    logger,
    webhooks: testWebhooks(),
  } as const;
  const running = await startApi({
    ...settings,
    configuration: { ...DEFAULT_CONFIGURATION, ...unlimited, ...limits, logLevel: 'trace' },
  });
  return { url: running.url, logger, said: () => log, stop: () => running.stop() };
}
