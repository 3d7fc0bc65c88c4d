import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { randomBytes } from 'node:crypto';
import type { CommandContext } from '#commands/command-context.js';
import { readState } from '#commands/execute.js';
import { type CommandResult, isRecorded } from '#commands/handle-command.js';
import { CLOCK } from '#commands/injection-tokens.js';
import { ResourceServices } from '#commands/resource-services.js';
import type { CommandServices } from '#commands/services.js';
import { commit, type Outcome, type UnitContext } from '#commands/unit-of-work.js';
import { storingPersonKeys } from '#database/key-rings/person-key-seal.js';
import { text } from '#http/fields.js';
import { emailKey } from '#http/fields/email-address.js';
import { problemOf } from '#http/fields/rules.js';
import { createSignInToken, endSessionsOf } from '../authentication/sessions.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { Clock } from '#kernel/clock.js';
import { conflict, found, invalid, notFound, RejectedError } from '#kernel/rejection.js';
import { isByRelation, type Role, SCOPES_OF_ROLE } from '#kernel/roles.js';
import { lockReferences } from '#commands/locks/references.js';
import { personAggregate } from '#people/person/person.js';
import { personKeyOf, refuseErased } from '#people/person/person-keys.js';
import { findEmployedByEmail } from '#people/record/email-addresses.js';
import { findPerson } from '#people/record/read-people.js';
import { PERSON_KEY_BYTES, sealJson, withSealedFingerprint } from '#people/person/person-seal.js';
import type { Executor } from '#projections/projection.js';
import { stageRevocations } from '../api-key/api-key.api.js';
import { type ApiKeyRow, listKeysMadeBy } from '../api-key/api-key.js';
import { asManager, holdAccess, type Manager, refuseLastingAccess, refuseScopesBeyond } from '../grants.js';
import { deleteCalendarLinksOf } from './calendar-links.js';
import { stageUser } from './stage-user.js';
import {
  countOtherAdministrators,
  findUser,
  findUserBySubject,
  findUserOfPerson,
  userAggregate,
  type UserCommand,
  type UserRow,
  type UserState,
} from './user.js';

const EMAIL = text({ format: 'email', maximumLength: 254 });

/** The data of an invitation. */
export interface Invitation {
  readonly email: string;
  readonly role: Role;
}

/**
 * A user after a unit of work, and whether it records an event, or an earlier attempt of the same request
 * did.
 */
export interface StagedUser {
  readonly id: string;
  readonly outcome: CommandResult<UserState>['outcome'];
  readonly row: Outcome<UserRow>;
}

/** Creates a user as {@link stageInvitation} does, with a sign-in link. */
export function inviteWithLink(
  services: CommandServices,
  context: CommandContext,
  requested: Invitation,
  now: Date,
): Promise<{ readonly row: UserRow; readonly link: SignInLink }> {
  return commit(services, context, async (within) => {
    const { id, row } = await stageInvitation(services, within, requested);
    const link = stageLink(within, id, now);
    return async (written) => ({ row: await row(written), link: link() });
  });
}

/**
 * Creates a user in a unit of work, or finds the one who already has this address and role, `unchanged`.
 * Throws {@link RejectedError}: the address is invalid, the user has another role, or is deactivated.
 */
export async function stageInvitation(
  services: CommandServices,
  context: UnitContext,
  requested: Invitation,
): Promise<StagedUser> {
  const email = checkedEmail(requested.email);
  const id = await idOfAddress(services, context.organisationId, email);
  const key = await userKeyOf(services.executor, context.organisationId, id);
  // A plain hash of a body with an address would allow guessing the address.
  return stage(services, withSealedFingerprint(context, key), id, {
    type: 'invite',
    role: requested.role,
    sealed: sealJson(email, key),
  });
}

/** The token of a link, and its expiry. */
export interface SignInLink {
  readonly token: string;
  readonly expiresAt: Date;
}

/** Creates a sign-in link for a user in the unit of work, and revokes their earlier ones. */
function stageLink({ unit, organisationId }: UnitContext, userId: string, now: Date): () => SignInLink {
  let link: SignInLink | null = null;
  unit.write(async (connection) => {
    link = await createSignInToken(connection, { organisationId, userId }, now);
  });
  return () => link!;
}

/** The identity of a person who has signed in at the OpenID provider. */
export interface ProvedIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Verified by the provider. */
  readonly email: string;
  readonly role: Role;
}

/**
 * The user of an identity that a provider authenticated: the one linked with it, otherwise the one with its
 * address, otherwise a new one. Their role becomes that of the identity, in the unit of work. A role by
 * relation also makes them the person with this address, if {@link freePersonOf} finds one. Throws {@link
 * RejectedError}: the user is deactivated, or linked with another identity.
 */
export async function stageAdmission(
  services: CommandServices,
  context: UnitContext,
  proved: ProvedIdentity,
): Promise<StagedUser> {
  const { organisationId } = context;
  const email = checkedEmail(proved.email);
  // A keyed hash, like the ids of resources with a natural key.
  const subjectKey = services.mint.prefixed('user', organisationId, 'subject', proved.issuer, proved.subject);
  const linked = await findUserBySubject(services.executor, organisationId, subjectKey);
  const id = linked?.id ?? (await idOfAddress(services, organisationId, email));
  const sealed = sealJson(email, await userKeyOf(services.executor, organisationId, id));
  const identity = { issuer: proved.issuer, subject_key: subjectKey };
  const personId = isByRelation(proved.role) ? await freePersonOf(services, context, id, email) : null;
  return stage(services, context, id, { type: 'admit', role: proved.role, sealed, identity, personId });
}

/**
 * The employed person with a verified address, for a user who is linked with none; null if there is no such
 * person, or if they are another user. The person cannot be erased, or linked with another user, until the
 * unit of work ends.
 */
async function freePersonOf(
  services: CommandServices,
  context: UnitContext,
  userId: string,
  email: string,
): Promise<string | null> {
  const { organisationId, today } = context;
  const find = (): Promise<string | null> => findEmployedByEmail(services.executor, organisationId, email, today);
  const linked = (await findUser(services.executor, organisationId, userId))?.person_id ?? null;
  const personId = linked === null ? await find() : null;
  if (personId === null) return null;
  await holdAccess(context);
  await lockReferences(services, context, [personAggregate.streamOf(organisationId, personId)]);
  const isFree = (await findUserOfPerson(services.executor, organisationId, personId)) === null;
  return isFree && (await find()) === personId ? personId : null;
}

/** A change of a user's role, of whether they may sign in, or of the person with whom they are linked. */
type Change = Extract<UserCommand, { type: 'set_role' | 'deactivate' | 'reactivate' | 'link' | 'unlink' }>;

/**
 * Changes a user in a unit of work. A user who may not sign in, or could not before, has no session and no
 * link afterwards. Throws {@link RejectedError}.
 */
export async function stageChange(
  services: CommandServices,
  context: UnitContext,
  id: string,
  change: Change,
): Promise<StagedUser> {
  if (change.type === 'link') await requireFreePerson(services, context, id, change.personId);
  const staged = await stage(services, context, id, change);
  // A session from before a deactivation must not become valid again. Not for a repeat: sessions have started
  // since.
  const ends = change.type === 'deactivate' || change.type === 'reactivate' || change.type === 'unlink';
  if (ends && staged.outcome !== 'repeated') stageEndOfAccess(context, id);
  return staged;
}

/**
 * Keeps a person from being erased until the unit of work ends, and refuses a person who does not exist in
 * the organisation, is erased, or is linked with another user. The caller holds the lock of {@link
 * holdAccess}.
 */
async function requireFreePerson(
  services: CommandServices,
  context: UnitContext,
  userId: string,
  personId: string,
): Promise<void> {
  const { organisationId } = context;
  await lockReferences(services, context, [personAggregate.streamOf(organisationId, personId)]);
  const person = await findPerson(services.executor, organisationId, personId);
  if (person === null) throw new RejectedError(notFound('person_id', 'there is no such person'));
  refuseErased(person);
  const user = await findUserOfPerson(services.executor, organisationId, personId);
  if (user !== null && user.id !== userId)
    throw new RejectedError(conflict('person_id', 'is linked with another user: unlink them first'));
}

/** A policy: unlinks the user of an erased person and ends their sessions. Safe to repeat. */
export function unlinkErasedPerson(
  services: CommandServices,
  context: CommandContext,
  personId: string,
): Promise<void> {
  return commit(services, context, async (within) => {
    await holdAccess(within);
    const user = await findUserOfPerson(services.executor, context.organisationId, personId);
    if (user !== null) await stageChange(services, within, user.id, { type: 'unlink' });
    return () => undefined;
  });
}

/** Ends all sessions of a user in the unit of work, and revokes their links, also those to calendars. */
function stageEndOfAccess(context: UnitContext, userId: string): void {
  const { unit, organisationId } = context;
  stageEndOfSessions(context, userId);
  unit.write((connection) => deleteCalendarLinksOf(connection, { organisationId, userId }));
}

/** Ends all sessions of a user in the unit of work, and revokes their link to sign in. */
function stageEndOfSessions({ unit, organisationId }: UnitContext, userId: string): void {
  unit.write(async (connection) => void (await endSessionsOf(connection, { organisationId, userId })));
}

/** Whether an earlier attempt of the same request recorded this change of a user. */
function isChangeRecorded(
  services: CommandServices,
  context: CommandContext,
  id: string,
  part: UserCommand['type'],
): Promise<boolean> {
  return isRecorded(services.store, context, { stream: userAggregate.streamOf(context.organisationId, id), part });
}

/**
 * Records that an actor creates a sign-in link for this user. Throws {@link RejectedError}: deactivated, or
 * linked with an identity.
 */
function stageNoteOfLink(services: CommandServices, context: UnitContext, id: string): Promise<StagedUser> {
  return stage(services, context, id, { type: 'create_sign_in_link' });
}

/**
 * Records the first sign-in of a user; later ones record nothing. Throws {@link RejectedError} if there is no
 * such user.
 */
export async function noteSignIn(services: CommandServices, context: CommandContext, id: string): Promise<void> {
  const row = await findUser(services.executor, context.organisationId, id);
  if (row?.has_signed_in === true) return;
  await commit(services, context, async (within) => (await stage(services, within, id, { type: 'note_sign_in' })).row);
}

/**
 * Erases the e-mail address of a user, who can never sign in again, in a unit of work: the event is recorded,
 * sessions and links end, and the key that encrypts the address in events is destroyed. Repeating it
 * completes an erasure after a crash. Throws {@link RejectedError}.
 */
export async function stageErasure(services: CommandServices, context: UnitContext, id: string): Promise<void> {
  const { organisationId, unit } = context;
  const { status } = await readState(services.store, userAggregate, organisationId, id);
  if (status !== 'erased') await stage(services, context, id, { type: 'erase' });
  stageEndOfAccess(context, id);
  unit.write(async (connection) => {
    await connection.query('update person_keys set key = null where organisation_id = $1 and person_id = $2', [
      organisationId,
      id,
    ]);
  });
}

async function stage(
  services: CommandServices,
  context: UnitContext,
  id: string,
  requested: UserCommand,
): Promise<StagedUser> {
  const { state, outcome } = await stageUser(services, context, id, requested);
  const row: Outcome<UserRow> = async ({ executor }) => {
    const found = await findUser(executor, context.organisationId, id);
    if (found === null || state.status === 'none') throw new RejectedError(notFound('user', 'there is no such user'));
    // As of the command: a repeat returns the same as its first attempt.
    const { role, status, identity, hasSignedIn, personId } = state;
    const issuer = identity?.issuer ?? null;
    return { ...found, role, status, issuer, has_signed_in: hasSignedIn, person_id: personId };
  };
  return { id, outcome, row };
}

function checkedEmail(given: string): string {
  const email = given.trim();
  if (problemOf(EMAIL, email) !== null) throw new RejectedError(invalid('email', 'the e-mail address is not valid'));
  return email;
}

/**
 * The id of the user with an address. It derives from the address by the installation's key, so that one
 * address has one user in an organisation without a reservation. After an erasure the address gets the next
 * id.
 */
async function idOfAddress(
  { executor, mint }: Pick<CommandServices, 'executor' | 'mint'>,
  organisationId: string,
  email: string,
): Promise<string> {
  for (let generation = 0; ; generation += 1) {
    const id = userIdOf(mint, organisationId, email, generation);
    if ((await findUser(executor, organisationId, id))?.status !== 'erased') return id;
  }
}

function userIdOf(mint: IdMint, organisationId: string, email: string, generation: number): string {
  return mint.prefixed('user', organisationId, 'email', emailKey(email), String(generation));
}

/**
 * The user's own key, which encrypts their address; it is created if there is none. Throws {@link
 * RejectedError} after an erasure.
 */
async function userKeyOf(executor: Executor, organisationId: string, id: string): Promise<Buffer> {
  const newKey = randomBytes(PERSON_KEY_BYTES);
  await storingPersonKeys(executor, (wrap) =>
    executor.query(
      'insert into person_keys (organisation_id, person_id, key) values ($1, $2, $3) on conflict do nothing',
      [organisationId, id, wrap({ organisationId, personId: id }, newKey)],
    ),
  );
  const key = await personKeyOf(executor, organisationId, id);
  if (key === null) throw new RejectedError(conflict('user', 'the personal data of the user was erased'));
  return key;
}

/**
 * A user, and their new link; null if an earlier attempt of the same request created one, because it is shown
 * only once.
 */
export interface UserWithLink {
  readonly row: UserRow;
  readonly link: SignInLink | null;
}

/** A requested change of a user. */
export type UserChange =
  | { readonly type: 'set_role'; readonly role: Role }
  /** `revokeKeys`: the API keys that they created are revoked too, and the keys that these created. */
  | { readonly type: 'deactivate'; readonly revokeKeys: boolean }
  | { readonly type: 'reactivate' }
  /** The user is this person. */
  | { readonly type: 'link'; readonly personId: string }
  | { readonly type: 'unlink' };

/** A user after a change, and the keys that were revoked with it. */
export interface ChangedUser {
  readonly row: UserRow;
  readonly revokedKeys: readonly ApiKeyRow[];
}

/**
 * Creates a user with a sign-in link, in a unit of work. Throws {@link RejectedError}: a role with scopes
 * that the caller lacks, a caller whose key expires, or an address that is invalid or that of a user.
 */
async function inviteAsManager(
  services: CommandServices,
  context: UnitContext,
  requested: Invitation,
  { manager, now }: { readonly manager: Manager; readonly now: Date },
): Promise<Outcome<UserWithLink>> {
  refuseScopesBeyond(manager, SCOPES_OF_ROLE[requested.role], 'role');
  refuseLastingAccess(manager);
  const invited = await stageInvitation(services, context, requested);
  if (invited.outcome === 'unchanged')
    throw new RejectedError(conflict('email', 'a user with this address exists: create a sign-in link for them'));
  return withLink(context, invited, now);
}

/**
 * Changes the role of a user or the person with whom they are linked, deactivates or reactivates them, in a
 * unit of work. Throws {@link RejectedError}: an unknown user, the caller, a user, a role or a key to revoke
 * with scopes that the caller lacks, more access from a caller whose key expires, the last administrator.
 */
async function changeAsManager(
  services: CommandServices,
  context: UnitContext,
  { userId, change, manager }: { readonly userId: string; readonly change: UserChange; readonly manager: Manager },
): Promise<Outcome<ChangedUser>> {
  const { organisationId } = context;
  const isRepeat = await isChangeRecorded(services, context, userId, change.type);
  if (!isRepeat) {
    const user = await managedUser(services, context, userId, manager);
    if (change.type === 'set_role') refuseScopesBeyond(manager, SCOPES_OF_ROLE[change.role], 'role');
    if (grantsMore(user, change)) refuseLastingAccess(manager);
    const stays = change.type === 'set_role' ? change.role === 'administrator' : change.type !== 'deactivate';
    const isAdministrator = user.role === 'administrator' && user.status === 'active';
    if (
      isAdministrator &&
      !stays &&
      (await countOtherAdministrators(services.executor, organisationId, userId)) === 0
    ) {
      throw new RejectedError(conflict('user', 'the organisation would have no administrator'));
    }
  }
  const revokesKeys = change.type === 'deactivate' && change.revokeKeys;
  const createdKeys = revokesKeys
    ? await listKeysMadeBy(services.executor, organisationId, { type: 'user', id: userId })
    : [];
  const inForce = createdKeys.filter((key) => key.revoked_at === null);
  if (!isRepeat) for (const key of inForce) refuseScopesBeyond(manager, key.scopes, 'revoke_keys');
  const { row } = await stageChange(services, context, userId, change);
  // A repeat after a reactivation of the user revokes nothing.
  const isReactivated =
    isRepeat && (await readState(services.store, userAggregate, organisationId, userId)).status === 'active';
  const revokedKeys = await stageRevocations(services, context, isReactivated ? [] : createdKeys);
  return async (written) => ({ row: await row(written), revokedKeys: await revokedKeys(written) });
}

/** Whether a change grants scopes that the user currently lacks. */
function grantsMore(user: UserRow, change: UserChange): boolean {
  if (change.type !== 'set_role') return change.type === 'reactivate' || change.type === 'link';
  return SCOPES_OF_ROLE[change.role].some((scope) => !SCOPES_OF_ROLE[user.role].includes(scope));
}

/**
 * Creates a sign-in link for a user, in a unit of work, and revokes their earlier one; the event names the
 * creator. Throws {@link RejectedError}: an unknown user, the caller, a user with scopes that the caller
 * lacks, one who is deactivated or signs in at the OpenID provider, or a caller whose key expires.
 */
async function linkAsManager(
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

/**
 * Ends all sessions of a user in a unit of work, and revokes their link. Throws {@link RejectedError} as
 * {@link linkAsManager} does, but for any state.
 */
async function signOutAsManager(
  services: CommandServices,
  context: UnitContext,
  { userId, manager }: { readonly userId: string; readonly manager: Manager },
): Promise<Outcome<void>> {
  await managedUser(services, context, userId, manager);
  stageEndOfSessions(context, userId);
  return () => undefined;
}

/**
 * The user whom the caller may change. A sign-in link gives its creator the user's session, so the caller
 * needs every scope of the user.
 */
async function managedUser(
  services: CommandServices,
  context: UnitContext,
  userId: string,
  manager: Manager,
): Promise<UserRow> {
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

export class InviteUser extends Command<UserWithLink> {
  constructor(
    readonly context: CommandContext,
    readonly user: Invitation,
  ) {
    super();
  }
}

export class MakeSignInLink extends Command<UserWithLink> {
  constructor(
    readonly context: CommandContext,
    readonly userId: string,
  ) {
    super();
  }
}

export class ChangeUser extends Command<ChangedUser> {
  constructor(
    readonly context: CommandContext,
    readonly userId: string,
    readonly change: UserChange,
  ) {
    super();
  }
}

export class SignOutUser extends Command<void> {
  constructor(
    readonly context: CommandContext,
    readonly userId: string,
  ) {
    super();
  }
}

@CommandHandler(InviteUser)
class InviteUserHandler implements ICommandHandler<InviteUser> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ context, user }: InviteUser): Promise<UserWithLink> {
    const now = this.clock.now();
    return asManager(this.services, context, (within, manager) =>
      inviteAsManager(this.services, within, user, { manager, now }),
    );
  }
}

@CommandHandler(MakeSignInLink)
class MakeSignInLinkHandler implements ICommandHandler<MakeSignInLink> {
  constructor(
    private readonly services: ResourceServices,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  execute({ context, userId }: MakeSignInLink): Promise<UserWithLink> {
    const now = this.clock.now();
    return asManager(this.services, context, (within, manager) =>
      linkAsManager(this.services, within, { userId, manager, now }),
    );
  }
}

@CommandHandler(ChangeUser)
class ChangeUserHandler implements ICommandHandler<ChangeUser> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, userId, change }: ChangeUser): Promise<ChangedUser> {
    return asManager(this.services, context, (within, manager) =>
      changeAsManager(this.services, within, { userId, change, manager }),
    );
  }
}

@CommandHandler(SignOutUser)
class SignOutUserHandler implements ICommandHandler<SignOutUser> {
  constructor(private readonly services: ResourceServices) {}

  execute({ context, userId }: SignOutUser): Promise<void> {
    return asManager(this.services, context, (within, manager) =>
      signOutAsManager(this.services, within, { userId, manager }),
    );
  }
}

/** The handlers of this file, for the resource. */
export const USER_HANDLERS = [InviteUserHandler, ChangeUserHandler, MakeSignInLinkHandler, SignOutUserHandler];
