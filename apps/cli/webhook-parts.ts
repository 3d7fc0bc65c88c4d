import type { Configuration } from '#configuration/configuration.js';
import type { DueDelivery } from '#webhooks/deliver/delivery-queues.js';
import { UrlGuard } from '#webhooks/url-guard/url-guard.js';
import { explainError } from './explain-error.js';
import type { OpenInstallation } from './installation.js';

/** The addresses that endpoints may have. */
export function endpointUrls({ webhookAllowedCidrs: allowedCidrs }: Configuration): UrlGuard {
  return new UrlGuard({ allowedCidrs });
}

/**
 * Adds the jobs of deliveries that a command has made due, so that they are sent immediately. Never throws: a
 * sweep finds deliveries without a job within a minute, and an unavailable queue only causes a line on
 * standard error.
 */
export async function queueDeliveries(
  { configuration, database }: OpenInstallation,
  due: readonly DueDelivery[],
): Promise<void> {
  if (due.length === 0) return;
  // BullMQ is loaded only if there is something to send.
  const [{ openJobEngine }, { DeliveryQueues }] = await Promise.all([
    import('#jobs/job-engine.js'),
    import('#webhooks/deliver/delivery-queues.js'),
  ]);
  // A failed addition throws its own error.
  const jobs = openJobEngine(
    { redisUrl: configuration.redisUrl, databaseUrl: database.url },
    { warn: () => undefined },
  );
  try {
    await new DeliveryQueues(jobs).add(due);
  } catch (error) {
    process.stderr.write(`The queue took no jobs, so sending may start up to a minute later: ${explainError(error)}\n`);
  } finally {
    await jobs.close();
  }
}
