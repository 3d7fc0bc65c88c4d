import type { Command, CommandBus } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import type { Executor } from '#projections/projection.js';
import type { Configuration } from '#configuration/configuration.js';
import type { DueDelivery } from '#webhooks/deliver/delivery-queues.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import { UrlGuard } from '#webhooks/url-guard/url-guard.js';
import { commandServices, operatorContext, SYSTEM_CLOCK } from './command-context.js';
import { explainError } from './explain-error.js';
import type { OpenInstallation } from './installation.js';
import { orSentence } from './rejection-sentence.js';

/** Creates a command; it may look up data first. */
export type CommandOf<Result> = (
  context: CommandContext,
  executor: Executor,
) => Command<Result> | Promise<Command<Result>>;

/**
 * Sends a command of the user of this process over a command bus. Throws `CommandError` for a rejection by
 * the domain.
 */
export function sendAsOperator<Result>(
  installation: OpenInstallation,
  organisation: Parameters<typeof operatorContext>[0],
  commandOf: CommandOf<Result>,
): Promise<Result> {
  return orSentence(() =>
    withCommandBus(installation, async (commands) =>
      commands.execute(await commandOf(operatorContext(organisation), installation.pool)),
    ),
  );
}

/**
 * Does work with a command bus over an open installation. Afterwards deliveries that became due have their
 * jobs.
 */
export async function withCommandBus<Result>(
  installation: OpenInstallation,
  work: (commands: CommandBus) => Promise<Result>,
): Promise<Result> {
  const { openCommandBus } = await import('#composition/command-bus.js');
  const due: DueDelivery[] = [];
  const commands = await openCommandBus({
    ...commandServices(installation),
    executor: installation.pool,
    clock: SYSTEM_CLOCK,
    secrets: new WebhookSecrets(installation.keys.webhookSecrets),
    urls: endpointUrls(installation.configuration),
    deliveries: { add: (some) => Promise.resolve(void due.push(...some)) },
  });
  const result = await work(commands);
  await queueDeliveries(installation, due);
  return result;
}

/** The addresses that endpoints may have. */
export function endpointUrls({ webhookAllowedCidrs: allowedCidrs }: Configuration): UrlGuard {
  return new UrlGuard({ allowedCidrs });
}

/**
 * Adds the jobs of deliveries that a command has made due, so that they are sent immediately. Never throws: a
 * sweep finds deliveries without a job within a minute, and an unavailable queue only causes a line on
 * standard error.
 */
async function queueDeliveries(
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
    process.stderr.write(
      `The queue accepted no jobs, so sending may start up to a minute later: ${explainError(error)}\n`,
    );
  } finally {
    await jobs.close();
  }
}
