import { WEBHOOK_EVENTS } from '#kernel/webhook-events.js';
import type { TestServices } from '#resources/integration/webhook/delivery.commands.js';
import type { WebhookServices } from '#resources/integration/webhook/webhook.commands.js';
import type { WakeSignal, WakeSignalQueue } from '#webhooks/queue/wake-signal-queue.js';
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
 * Sends workers wake signals for deliveries that a command has made due, so that they are sent immediately. Never throws: a sweep
 * finds deliveries without a wake signal within a minute, and an unavailable queue only causes a line on standard error.
 */
export async function wakeWorkers(installation: Installation, wakeSignals: readonly WakeSignal[]): Promise<void> {
  if (wakeSignals.length === 0) return;
  try {
    const queue = await openQueue(installation);
    await queue.send(wakeSignals).finally(() => queue.close());
  } catch (error) {
    process.stderr.write(`The workers could not be woken, so sending may start up to a minute later: ${explainError(error)}\n`);
  }
}

/** BullMQ is loaded only if there is something to send. */
async function openQueue({ configuration, database }: Installation): Promise<WakeSignalQueue> {
  const { openWakeSignalQueue } = await import('#webhooks/queue/open-wake-signal-queue.js');
  // A failed send throws its own error.
  return openWakeSignalQueue({ redisUrl: configuration.redisUrl, databaseUrl: database.url, logger: { warn: () => undefined } });
}
