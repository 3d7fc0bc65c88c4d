import type { CommandContext } from '#commands/command-context.js';
import type { CommandServices } from '#commands/execute.js';
import { revokeApiKeys } from '../api-key/api-key.commands.js';
import { type ApiKeyRow, listKeysMadeBy } from '../api-key/api-key.queries.js';
import { findUser } from './user.queries.js';

/** The API keys that a user made, those that these made, and so on, revoked and expired ones included. */
export function keysMadeBy(
  { executor }: Pick<CommandServices, 'executor'>,
  organisationId: string,
  userId: string,
): Promise<readonly ApiKeyRow[]> {
  return listKeysMadeBy(executor, organisationId, { type: 'user', id: userId });
}

/**
 * Revokes the keys of a user who has no access any more, and returns those that this request revoked. A repeat after the user came back revokes
 * nothing.
 */
export async function revokeKeysOf(
  services: CommandServices,
  context: CommandContext,
  userId: string,
  keys: readonly ApiKeyRow[],
): Promise<readonly ApiKeyRow[]> {
  const user = await findUser(services.executor, context.organisationId, userId);
  return user?.status === 'active' ? [] : revokeApiKeys(services, context, keys);
}
