import pg from 'pg';
import { loadInstallationKeys } from '#database/installation-keys.js';
import { createPool, SERVER_SESSION } from '#database/pool.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { openWakeSignalQueue } from '#webhooks/queue/open-wake-signal-queue.js';
import { UrlGuard } from '#webhooks/url-guard/url-guard.js';
import { startWorker } from '#worker/start-worker.js';
import { answerParent, processorSeconds } from './answer.js';

/** Statements that this process has sent, those that begin and end transactions included. */
export interface Statements {
  /** Of the product's own pool: fan-out, deliveries, catch-up and the rest. */
  readonly own: number;
  /** Of the queue of wake signals. */
  readonly queue: number;
}

const APPLICATION = 'bench worker';
const DATABASE_CONNECTIONS = 10;

let statements: Statements = { own: 0, queue: 0 };
countStatements();
let end = (): Promise<void> => Promise.resolve();

/** Every pool sends through this method of its connections. */
function countStatements(): void {
  const prototype = pg.Client.prototype as unknown as { query(this: pg.Client, ...values: unknown[]): unknown };
  const send = prototype.query;
  prototype.query = function (this: pg.Client, ...values: unknown[]): unknown {
    const { application_name: application } = (this as unknown as { connectionParameters: { application_name: string } })
      .connectionParameters;
    const { own, queue } = statements;
    statements = application === APPLICATION ? { own: own + 1, queue } : { own, queue: queue + 1 };
    return send.apply(this, values);
  };
}

/** What `workforce worker` runs, with deliveries to the loopback address. */
async function start({ databaseUrl }: { databaseUrl: string }): Promise<void> {
  const logger = {
    warn: (fields: object, message: string) => process.stderr.write(`${message} ${causeOf(fields)}\n`),
    error: (fields: object, message: string) => process.stderr.write(`${message} ${causeOf(fields)}\n`),
  };
  const pool = createPool(databaseUrl, {
    applicationName: APPLICATION,
    maximum: DATABASE_CONNECTIONS,
    sessionSettings: SERVER_SESSION,
  });
  const eventStore = new PostgresEventStore(pool);
  const queue = await openWakeSignalQueue({ redisUrl: null, databaseUrl, logger });
  const keys = await loadInstallationKeys(pool);
  const notices = { deliver: () => Promise.resolve() };
  const worker = await startWorker({
    pool,
    eventStore,
    logger,
    webhooks: { keys, queue, guard: new UrlGuard({ allowedCidrs: ['127.0.0.0/8'] }), notices },
  });
  end = async () => {
    end = () => Promise.resolve();
    await worker.stop();
    await queue.close();
    await eventStore.close();
    await pool.end();
  };
}

function causeOf(fields: object): string {
  const { err } = fields as { err?: unknown };
  return err instanceof Error ? (err.stack ?? err.message) : JSON.stringify(fields);
}

answerParent({ start, stop: () => end(), statements: () => statements, processorSeconds }, () => end());
