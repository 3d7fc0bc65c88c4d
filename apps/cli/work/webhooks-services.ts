import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';
import type { TestServices } from '#resources/integration/webhook/delivery.commands.js';
import type { WebhookServices } from '#resources/integration/webhook/webhook.commands.js';
import type { DueDelivery } from '#webhooks/deliver/delivery-queues.js';
import { UrlGuard } from '#webhooks/url-guard/url-guard.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import { commandServices } from '../command-context.js';
import { UsageError } from '../command-error.js';
import { explainError } from '../explain-error.js';
import type { Installation } from '../installation.js';
import { nearest } from '../nearest.js';

const EVENT_TYPES = Object.keys(WEBHOOK_EVENTS);

/** The services that the webhook commands need, for an open installation. */
export function webhookServices(installation: Installation): WebhookServices & TestServices {
  const { pool, keys, configuration } = installation;
  return {
    ...commandServices(installation),
    executor: pool,
    secrets: new WebhookSecrets(keys.webhookSecrets),
    urls: new UrlGuard({ allowedCidrs: configuration.webhookAllowedCidrs }),
  };
}

/** The event types of a comma-separated list; `all` means the event types of this version. Throws {@link CommandError}. */
export function eventTypesOf(list: string): readonly string[] {
  const named = [
    ...new Set(
      list
        .split(',')
        .map((type) => type.trim())
        .filter((type) => type !== ''),
    ),
  ];
  return named.length === 1 && named[0] === 'all' ? EVENT_TYPES : named.map(eventTypeOf);
}

/** The event type that a text names. Throws {@link CommandError} where there is none of that name. */
export function eventTypeOf(type: string): string {
  if (EVENT_TYPES.includes(type)) return type;
  const alike = nearest(type, EVENT_TYPES);
  throw new UsageError(
    `There is no event type ${type}${alike === null ? `; there are ${EVENT_TYPES.join(', ')}` : `: did you mean ${alike}?`}`,
  );
}

/** Event types as a short text. */
export function eventTypesText(types: readonly string[]): string {
  return types.length === EVENT_TYPES.length ? 'all' : types.join(',');
}

/**
 * Adds the jobs of deliveries that a command has made due, so that they are sent immediately. Never throws: a sweep finds deliveries
 * without a job within a minute, and an unavailable queue only causes a line on standard error.
 */
export async function queueDeliveries({ configuration, database }: Installation, due: readonly DueDelivery[]): Promise<void> {
  if (due.length === 0) return;
  // BullMQ is loaded only if there is something to send.
  const [{ openJobEngine }, { DeliveryQueues }] = await Promise.all([
    import('#jobs/job-engine.js'),
    import('#webhooks/deliver/delivery-queues.js'),
  ]);
  // A failed addition throws its own error.
  const jobs = openJobEngine({ redisUrl: configuration.redisUrl, databaseUrl: database.url }, { warn: () => undefined });
  try {
    await new DeliveryQueues(jobs).add(due);
  } catch (error) {
    process.stderr.write(`The queue took no jobs, so sending may start up to a minute later: ${explainError(error)}\n`);
  } finally {
    await jobs.close();
  }
}
