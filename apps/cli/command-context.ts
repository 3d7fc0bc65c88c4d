import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import type { CommandContext } from '#commands/command-context.js';
import { IdMint } from '#identifiers/id-mint.js';
import type { Clock } from '#kernel/clock.js';
import { dateIn } from '#kernel/dates.js';
import type { CommandServices } from '#commands/services.js';
import { createProjector } from '#composition/registry.js';
import type { Installation } from './installation.js';

/** The time of this machine. */
export const SYSTEM_CLOCK: Clock = { now: () => new Date() };

/** The dependencies of the commands of resources, over an open installation. */
export function commandServices(
  installation: Pick<Installation, 'pool' | 'eventStore' | 'keys'>,
  clock: Clock = SYSTEM_CLOCK,
): CommandServices {
  return {
    store: installation.eventStore,
    executor: installation.pool,
    projector: createProjector(clock),
    mint: new IdMint(installation.keys.ids),
  };
}

/** Stands for an organisation that does not exist yet; its creation sets the id. */
export const NO_ORGANISATION = { id: '', time_zone: 'UTC' };

/**
 * A context for one command of the user of this process: an operator by their login name. Its seed is random,
 * so that the command is never a repeat.
 */
export function operatorContext(
  organisation: { readonly id: string; readonly time_zone: string },
  clock: Clock = SYSTEM_CLOCK,
): CommandContext {
  return {
    organisationId: organisation.id,
    actor: { type: 'operator', id: loginName() },
    requestId: null,
    idempotencyKey: null,
    fingerprint: null,
    seed: ['operator', randomUUID()],
    today: dateIn(organisation.time_zone, clock.now()),
  };
}

/** The login name of the user of this process. In a container the user often has a number and no name. */
export function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
