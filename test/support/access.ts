import type { CommandContext } from '#commands/command-context.js';
import type { CommandServices } from '#commands/services.js';
import { commit } from '#commands/unit-of-work.js';
import { type NewApiKey, stageApiKey, stageRevocation } from '#access/api-key/api-key.api.js';
import type { ApiKeyRow } from '#access/api-key/api-key.js';
import { stageChange, stageErasure, stageInvitation, type Invitation } from '#access/user/administer-users.js';
import type { UserRow } from '#access/user/user.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';

// What commands of keys and users stage, each in a unit of work of its own, for tests that need any keys and
// users.

/** Records a key whose text the test knows. */
export async function createApiKey(
  services: CommandServices,
  context: CommandContext,
  owner: Pick<OrganisationRow, 'id' | 'is_sandbox'>,
  requested: NewApiKey,
): Promise<ApiKeyRow> {
  return (await commit(services, context, (within) => stageApiKey(services, within, owner, requested))).row;
}

export async function revokeApiKey(
  services: CommandServices,
  context: CommandContext,
  keyId: string,
): Promise<ApiKeyRow> {
  return (await commit(services, context, (within) => stageRevocation(services, within, keyId, []))).row;
}

export function inviteUser(
  services: CommandServices,
  context: CommandContext,
  requested: Invitation,
): Promise<UserRow> {
  return commit(services, context, async (within) => (await stageInvitation(services, within, requested)).row);
}

export function changeUser(
  services: CommandServices,
  context: CommandContext,
  userId: string,
  change: Parameters<typeof stageChange>[3],
): Promise<UserRow> {
  return commit(services, context, async (within) => (await stageChange(services, within, userId, change)).row);
}

export function eraseUser(services: CommandServices, context: CommandContext, userId: string): Promise<void> {
  return commit(services, context, async (within) => {
    await stageErasure(services, within, userId);
    return () => undefined;
  });
}
