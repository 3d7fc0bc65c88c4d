import type { Command, CommandBus } from '@nestjs/cqrs';
import type { CommandContext } from '#commands/command-context.js';
import type { Executor } from '#projections/projection.js';
import type { DueDelivery } from '#webhooks/deliver/delivery-queues.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import { commandServices, operatorContext, SYSTEM_CLOCK } from './command-context.js';
import type { OpenInstallation } from './installation.js';
import { orSentence } from './rejection-sentence.js';
import { endpointUrls, queueDeliveries } from './webhook-parts.js';

/** Makes a command, of what it may look up first. */
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
