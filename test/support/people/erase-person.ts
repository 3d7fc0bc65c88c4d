import type { CommandContext } from '#commands/command-context.js';
import type { CommandServices } from '#commands/services.js';
import { erasePerson as eraseNoted, requestErasure, type ErasureRequest } from '#people/erasure/erase-person.js';
import type { Erasure } from '#people/erasure/erasure-list.js';

/** Erases a person, whatever their employment. */
export async function erasePerson(
  services: CommandServices,
  context: CommandContext,
  requested: ErasureRequest,
): Promise<Erasure> {
  return eraseNoted(services, context, await requestErasure(services, context, requested));
}
