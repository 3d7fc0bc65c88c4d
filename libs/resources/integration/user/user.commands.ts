import { emailKey } from '#http/fields/email-address.js';
import type { CommandContext } from '#commands/command-context.js';
import { type CommandServices, execute } from '#commands/execute.js';
import { isRecorded } from '#commands/handle-command.js';
import { storingPersonKeys } from '#database/key-rings/person-key-seal.js';
import { randomBytes } from 'node:crypto';
import { text } from '#http/fields.js';
import { problemOf } from '#http/fields/problem.js';
import { endSessionsOf } from '#http/sessions/sessions.js';
import type { IdMint } from '#identifiers/id-mint.js';
import type { Decision } from '#kernel/aggregate.js';
import { conflict, invalid, notFound, RejectedError } from '#kernel/rejection.js';
import type { Role } from '#kernel/roles.js';
import type { Executor } from '#projections/projection.js';
import { personKeyOf } from '../../people/person/person-keys.js';
import { PERSON_KEY_BYTES, sealJson, withSealedFingerprint } from '../../people/person/person-seal.js';
import { decideUser, userAggregate, type UserCommand, type UserEvent, type UserState } from './user.decider.js';
import { findUser, findUserBySubject, type UserRow } from './user.queries.js';

const EMAIL = text({ format: 'email', maximumLength: 254 });

/**
 * Makes a user, or finds the one who has this address and role already. Throws {@link RejectedError}: the address is not valid, the user has
 * another role, or is deactivated.
 */
export async function inviteUser(
  services: CommandServices,
  context: CommandContext,
  wanted: { email: string; role: Role },
): Promise<UserRow> {
  return (await inviteUserOnce(services, context, wanted)).row;
}

/** A user's row, and whether this command recorded an event, or an earlier attempt of the same request. */
export interface RecordedUser {
  readonly row: UserRow;
  readonly outcome: 'appended' | 'unchanged' | 'repeated';
}

/** As {@link inviteUser}; `unchanged` where there is such a user already. */
export async function inviteUserOnce(
  services: CommandServices,
  context: CommandContext,
  wanted: { email: string; role: Role },
): Promise<RecordedUser> {
  const email = checkedEmail(wanted.email);
  const id = await idOfAddress(services, context.organisationId, email);
  const key = await userKeyOf(services.executor, context.organisationId, id);
  // A plain hash of a body with an address would tell the address to a reader who tries them all.
  return command(services, withSealedFingerprint(context, key), id, { type: 'invite', role: wanted.role, sealed: sealJson(email, key) });
}

/** Somebody who has signed in at the OpenID provider. */
export interface ProvedIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Verified by the provider. */
  readonly email: string;
  readonly role: Role;
}

/**
 * The user of an identity that a provider proved: the one linked with it, else the one with its address, else a new one. Their role becomes
 * that of the identity. Throws {@link RejectedError}: the user is deactivated, or linked with another identity.
 */
export async function admitIdentity(services: CommandServices, context: CommandContext, proved: ProvedIdentity): Promise<UserRow> {
  const { organisationId } = context;
  const email = checkedEmail(proved.email);
  // A keyed hash, like the ids of what has a natural key.
  const subjectKey = services.mint.prefixed('user', organisationId, 'subject', proved.issuer, proved.subject);
  const linked = await findUserBySubject(services.executor, organisationId, subjectKey);
  const id = linked?.id ?? (await idOfAddress(services, organisationId, email));
  const sealed = sealJson(email, await userKeyOf(services.executor, organisationId, id));
  const identity = { issuer: proved.issuer, subject_key: subjectKey };
  return (await command(services, context, id, { type: 'admit', role: proved.role, sealed, identity })).row;
}

/** Changes a user. A user who may not sign in, or could not until then, has no session afterwards. Throws {@link RejectedError}. */
export async function changeUser(
  services: CommandServices,
  context: CommandContext,
  id: string,
  change: Extract<UserCommand, { type: 'set_role' | 'deactivate' | 'reactivate' }>,
): Promise<UserRow> {
  const place = { organisationId: context.organisationId, userId: id };
  // Before: a session from the time before the deactivation must not come back. Not for a repeat: sessions have begun since.
  if (change.type === 'reactivate' && !(await isChangeRecorded(services, context, id, change.type)))
    await endSessionsOf(services.executor, place);
  const { row, outcome } = await command(services, context, id, change);
  if (change.type === 'deactivate' && outcome !== 'repeated') await endSessionsOf(services.executor, place);
  return row;
}

/** Whether an earlier attempt of the same request recorded this change of a user. */
export function isChangeRecorded(
  services: CommandServices,
  context: CommandContext,
  id: string,
  part: UserCommand['type'],
): Promise<boolean> {
  return isRecorded(services.store, context, { stream: userAggregate.streamOf(context.organisationId, id), part });
}

/** Records that somebody makes a link that signs in as this user. Throws {@link RejectedError}: deactivated, or linked with an identity. */
export function recordSignInLink(services: CommandServices, context: CommandContext, id: string): Promise<RecordedUser> {
  return command(services, context, id, { type: 'create_sign_in_link' });
}

/** Records the first sign-in of a user; later ones record nothing. Throws {@link RejectedError} where there is no such user. */
export async function noteSignIn(services: CommandServices, context: CommandContext, id: string): Promise<void> {
  const row = await findUser(services.executor, context.organisationId, id);
  if (row?.has_signed_in !== true) await command(services, context, id, { type: 'note_sign_in' });
}

/**
 * Erases the e-mail address of a user, who can never sign in again: the event is recorded, sessions and links end, and the key that
 * encrypts the address in events is destroyed. Repeating it completes what a crash left. Throws {@link RejectedError}.
 */
export async function eraseUser(services: CommandServices, context: CommandContext, id: string): Promise<void> {
  const { organisationId } = context;
  const row = await findUser(services.executor, organisationId, id);
  if (row?.status !== 'erased') await command(services, context, id, { type: 'erase' });
  await endSessionsOf(services.executor, { organisationId, userId: id });
  await services.executor.query('update person_keys set key = null where organisation_id = $1 and person_id = $2', [organisationId, id]);
}

async function command(services: CommandServices, context: CommandContext, id: string, wanted: UserCommand): Promise<RecordedUser> {
  const decide = (state: UserState): Decision<UserEvent> => decideUser(wanted, state);
  const { state, outcome } = await execute(services, context, userAggregate, id, { part: wanted.type, decide });
  const row = await findUser(services.executor, context.organisationId, id);
  if (row === null || state.status === 'none') throw new RejectedError(notFound('user', 'there is no such user'));
  // As of the command: a repeat shows what its first attempt showed.
  const shown = { role: state.role, status: state.status, issuer: state.identity?.issuer ?? null, has_signed_in: state.hasSignedIn };
  return { row: { ...row, ...shown }, outcome };
}

function checkedEmail(given: string): string {
  const email = given.trim();
  if (problemOf(EMAIL, email) !== null) throw new RejectedError(invalid('email', 'the e-mail address is not valid'));
  return email;
}

/**
 * The id of the user with an address: it derives from the address by the installation's key, so that one address has one user in an
 * organisation without a reservation. After an erasure the address gets the next id.
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

/** The key of the user's own that encrypts their address; it is made where there is none. Throws {@link RejectedError} after an erasure. */
async function userKeyOf(executor: Executor, organisationId: string, id: string): Promise<Buffer> {
  const made = randomBytes(PERSON_KEY_BYTES);
  await storingPersonKeys(executor, (wrap) =>
    executor.query('insert into person_keys (organisation_id, person_id, key) values ($1, $2, $3) on conflict do nothing', [
      organisationId,
      id,
      wrap({ organisationId, personId: id }, made),
    ]),
  );
  const key = await personKeyOf(executor, organisationId, id);
  if (key === null) throw new RejectedError(conflict('user', 'the personal data of the user was erased'));
  return key;
}
