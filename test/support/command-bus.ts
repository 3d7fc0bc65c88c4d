import type { CommandBus } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { Seeding } from '#cli/sample-data/seeding.js';
import type { CommandServices } from '#commands/services.js';
import { KeyRing } from '#database/key-rings/key-ring.js';
import { type CommandBusParts, openCommandBus } from '#composition/command-bus.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import { UrlGuard } from '#webhooks/url-guard/url-guard.js';

/**
 * Opens a command bus as processes without a listener have one, by the clock of this machine where none is
 * given. It queues no jobs.
 */
export function testCommandBus(
  services: CommandServices,
  pool: Pool,
  parts: Partial<CommandBusParts> = {},
): Promise<CommandBus> {
  return openCommandBus({
    clock: { now: () => new Date() },
    secrets: new WebhookSecrets(new KeyRing(pool, 'webhook_secrets')),
    urls: new UrlGuard({ allowedCidrs: [] }),
    deliveries: { add: () => Promise.resolve() },
    ...services,
    executor: pool,
    ...parts,
  });
}

/** What sample data are recorded with, over the services of a test. */
export async function testSeeding(services: CommandServices, pool: Pool): Promise<Seeding> {
  const commands = await testCommandBus(services, pool);
  return { send: (command) => commands.execute(command), pool, mint: services.mint };
}
