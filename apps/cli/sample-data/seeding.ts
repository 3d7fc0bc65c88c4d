import type { Command } from '@nestjs/cqrs';
import type { Pool } from 'pg';
import type { CommandContext } from '#commands/command-context.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { LocalDate } from '#kernel/dates.js';
import { WebhookSecrets } from '#webhooks/send/webhook-secrets.js';
import { type Receiver, UrlGuard } from '#webhooks/url-guard/url-guard.js';
import { commandServices } from '../command-context.js';
import type { Installation } from '../installation.js';
import { MOMENT_CLOCK, recordingMoments } from './recorded-at.js';

/** The dependencies of recording sample data. */
export interface Seeding {
  readonly send: <Result>(command: Command<Result>) => Promise<Result>;
  readonly pool: Pool;
  /** Makes the same ids as the commands. */
  readonly mint: IdMint;
}

/**
 * Opens the dependencies of recording sample data. Commands that are sent within `atMoment` run at its
 * instant.
 *
 * @param receivers - of webhooks, in this process: the only ones to which endpoints may send
 */
export async function openSeeding(
  installation: Pick<Installation, 'pool' | 'eventStore' | 'keys'>,
  receivers: readonly Receiver[] = [],
): Promise<Seeding> {
  const { openCommandBus } = await import('#composition/command-bus.js');
  const { pool, keys } = installation;
  const services = commandServices(installation);
  const commands = await openCommandBus({
    ...services,
    store: recordingMoments(services.store),
    executor: pool,
    clock: MOMENT_CLOCK,
    secrets: new WebhookSecrets(keys.webhookSecrets),
    urls: new UrlGuard({ allowedCidrs: [], ownReceivers: receivers }),
    // Nothing is delivered while the data are created.
    deliveries: { add: () => Promise.resolve() },
  });
  return { send: (command) => commands.execute(command), pool, mint: services.mint };
}

/** Returns a context for each command; its seed identifies the created resource. */
export type ContextOf = (...seed: readonly string[]) => CommandContext;

/**
 * Contexts of the platform itself. Ids derive from the prefix and the seed, so that they are the same in
 * every run of an operation that may be interrupted and repeated.
 */
export function seedContexts(
  organisationId: string,
  today: LocalDate,
  prefix: readonly [actor: string, ...string[]],
): ContextOf {
  return (...seed) => ({
    organisationId,
    actor: { type: 'system', id: prefix[0] },
    requestId: null,
    idempotencyKey: [prefix[0], ...seed].join(' '),
    fingerprint: null,
    seed: [...prefix, ...seed],
    today,
  });
}

/** The contexts of the demo, whose ids differ between installations. */
export function demoContexts(organisationId: string, today: LocalDate): ContextOf {
  return seedContexts(organisationId, today, ['demo', organisationId]);
}
