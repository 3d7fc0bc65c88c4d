import { readState } from '#commands/execute.js';
import type { CommandServices } from '#commands/services.js';
import type { Outcome, UnitContext } from '#commands/unit-of-work.js';
import { conflict, found, RejectedError } from '#kernel/rejection.js';
import { type Role, SCOPES_OF_ROLE } from '#kernel/roles.js';
import { type Manager, refuseLastingAccess, refuseScopesBeyond } from '../access/grants.js';
import { stageRevocations } from '../api-key/api-key.commands.js';
import { type ApiKeyRow, listKeysMadeBy } from '../api-key/api-key.queries.js';
import {
  isChangeRecorded,
  type SignInLink,
  stageChange,
  type StagedUser,
  stageEndOfSessions,
  stageInvitation,
  stageLink,
  stageNoteOfLink,
  type WantedUser,
} from './user.commands.js';
import { userAggregate } from './user.decider.js';
import { countOtherAdministrators, findUser, type UserRow } from './user.queries.js';

/** A user, and their new link; null where an earlier attempt of the same request made one, because it is shown only once. */
export interface UserWithLink {
  readonly row: UserRow;
  readonly link: SignInLink | null;
}

/** What somebody changes of a user. */
export type UserChange =
  | { readonly type: 'set_role'; readonly role: Role }
  /** `revokeKeys`: the API keys that they made are revoked too, and the keys that these made. */
  | { readonly type: 'deactivate'; readonly revokeKeys: boolean }
  | { readonly type: 'reactivate' };

/** A user after a change, and the keys that were revoked with it. */
export interface ChangedUser {
  readonly row: UserRow;
  readonly revokedKeys: readonly ApiKeyRow[];
}

/**
 * Makes a user with a link to sign in, within a unit of work. Throws {@link RejectedError}: a role with scopes that the caller lacks, a caller whose key expires, an address
 * that is not valid, or that of a user.
 */
export async function inviteAsManager(
  services: CommandServices,
  context: UnitContext,
  wanted: WantedUser,
  { manager, now }: { readonly manager: Manager; readonly now: Date },
): Promise<Outcome<UserWithLink>> {
  refuseScopesBeyond(manager, SCOPES_OF_ROLE[wanted.role], 'role');
  refuseLastingAccess(manager);
  const invited = await stageInvitation(services, context, wanted);
  if (invited.outcome === 'unchanged')
    throw new RejectedError(conflict('email', 'there is a user with this address: make them a link to sign in'));
  return withLink(context, invited, now);
}

/**
 * Changes the role of a user, deactivates or reactivates them, within a unit of work. Throws {@link RejectedError}: an unknown user, the caller, a
 * user, a role or a key to revoke with scopes that the caller lacks, more access from a caller whose key expires, the last administrator.
 */
export async function changeAsManager(
  services: CommandServices,
  context: UnitContext,
  { userId, change, manager }: { readonly userId: string; readonly change: UserChange; readonly manager: Manager },
): Promise<Outcome<ChangedUser>> {
  const { organisationId } = context;
  const isRepeat = await isChangeRecorded(services, context, userId, change.type);
  if (!isRepeat) {
    const user = await managedUser(services, context, userId, manager);
    if (change.type === 'set_role') refuseScopesBeyond(manager, SCOPES_OF_ROLE[change.role], 'role');
    if (givesMore(user, change)) refuseLastingAccess(manager);
    const stays = change.type === 'reactivate' || (change.type === 'set_role' && change.role === 'administrator');
    const isAdministrator = user.role === 'administrator' && user.status === 'active';
    if (isAdministrator && !stays && (await countOtherAdministrators(services.executor, organisationId, userId)) === 0) {
      throw new RejectedError(conflict('user', 'the organisation would have no administrator'));
    }
  }
  const revokesKeys = change.type === 'deactivate' && change.revokeKeys;
  const made = revokesKeys ? await listKeysMadeBy(services.executor, organisationId, { type: 'user', id: userId }) : [];
  const inForce = made.filter((key) => key.revoked_at === null);
  if (!isRepeat) for (const key of inForce) refuseScopesBeyond(manager, key.scopes, 'revoke_keys');
  const { row } = await stageChange(services, context, userId, change);
  // A repeat after the user came back revokes nothing.
  const isBack = isRepeat && (await readState(services.store, userAggregate, organisationId, userId)).status === 'active';
  const revokedKeys = await stageRevocations(services, context, isBack ? [] : made);
  return async (written) => ({ row: await row(written), revokedKeys: await revokedKeys(written) });
}

/** Whether a change gives scopes that the user has not got at the moment. */
function givesMore(user: UserRow, change: UserChange): boolean {
  if (change.type !== 'set_role') return change.type === 'reactivate';
  return SCOPES_OF_ROLE[change.role].some((scope) => !SCOPES_OF_ROLE[user.role].includes(scope));
}

/**
 * Makes a link that signs in as a user, within a unit of work, and withdraws their earlier one; the event names who made it. Throws
 * {@link RejectedError}: an unknown user, the caller, a user with scopes that the caller lacks, one who is deactivated or signs in at the OpenID
 * provider, a caller whose key expires.
 */
export async function linkAsManager(
  services: CommandServices,
  context: UnitContext,
  { userId, manager, now }: { readonly userId: string; readonly manager: Manager; readonly now: Date },
): Promise<Outcome<UserWithLink>> {
  if (!(await isChangeRecorded(services, context, userId, 'create_sign_in_link'))) {
    await managedUser(services, context, userId, manager);
    refuseLastingAccess(manager);
  }
  return withLink(context, await stageNoteOfLink(services, context, userId), now);
}

/** Ends all sessions of a user within a unit of work, and withdraws their link. Throws {@link RejectedError} as {@link linkAsManager} does, but for any state. */
export async function signOutAsManager(
  services: CommandServices,
  context: UnitContext,
  { userId, manager }: { readonly userId: string; readonly manager: Manager },
): Promise<Outcome<void>> {
  await managedUser(services, context, userId, manager);
  stageEndOfSessions(context, userId);
  return () => undefined;
}

/** A link is as good as the user's session, so a caller who makes one reaches the user's scopes. */
async function managedUser(services: CommandServices, context: UnitContext, userId: string, manager: Manager): Promise<UserRow> {
  const row = await findUser(services.executor, context.organisationId, userId);
  const user = found(row?.status === 'erased' ? null : row);
  if (userId === manager.id) throw new RejectedError(conflict('user', 'users cannot change themselves'));
  refuseScopesBeyond(manager, SCOPES_OF_ROLE[user.role], 'user');
  return user;
}

function withLink(context: UnitContext, { id, outcome, row }: StagedUser, now: Date): Outcome<UserWithLink> {
  const link = outcome === 'appended' ? stageLink(context, id, now) : () => null;
  return async (written) => ({ row: await row(written), link: link() });
}
