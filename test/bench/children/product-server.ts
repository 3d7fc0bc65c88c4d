import { startApi } from '#api/start-api.js';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { createPool } from '#database/pool.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { answerParent, processorSeconds } from './answer.js';

/** So high that no request is refused, and every one is counted. */
const PLENTY = 100_000_000;

let stop = (): Promise<void> => Promise.resolve();

/** The API alone, as `workforce api` runs it, with everything that governs requests. */
async function start({
  databaseUrl,
  connections,
  logLevel,
}: {
  databaseUrl: string;
  connections: number;
  logLevel: string;
}): Promise<string> {
  const pool = createPool(databaseUrl, { applicationName: 'bench product', maximum: connections });
  const eventStore = new PostgresEventStore(pool);
  const configuration = {
    host: '127.0.0.1',
    logLevel,
    rateLimitKey: PLENTY,
    rateLimitKeyWrites: PLENTY,
    rateLimitOrganisation: PLENTY,
    rateLimitWebhookKey: PLENTY,
    rateLimitWebhookOrganisation: PLENTY,
    rateLimitFailedAuth: PLENTY,
    publicUrl: null,
    sandboxPublicUrl: null,
    avatarUrlTtlSeconds: 300,
    webhookAllowedCidrs: [],
    trustedProxies: [],
    corsOrigins: [],
  };
  const keys = await loadInstallationKeys(pool);
  const api = await startApi({ pool, eventStore, keys, configuration, environment: 'live', port: 0 });
  stop = async () => {
    await api.stop();
    await eventStore.close();
    await pool.end();
  };
  return api.url;
}

answerParent({ start, processorSeconds }, () => stop());
