import type { Migration } from '#database/migrations.js';
import { prepared, raw, type Sql, sql } from '#database/sql.js';
import { bumpAuthorisationVersion, FORGET_AUTHORISATIONS } from '#database/authorisation-version.js';
import type { CreationCursor } from '#http/pages.js';
import { FINISHED_SIGN_INS_SCHEMA, USER_SESSIONS_SCHEMA } from '../authentication/sessions.sql.js';
import { accept, type Decision, defineAggregate, type DomainEvent, partsOfStream, reject } from '#kernel/aggregate.js';
import { ERASED } from '#kernel/erasure.js';
import { conflict, notFound, type Rejection } from '#kernel/rejection.js';
import { isRole, type Role, ROLES } from '#kernel/roles.js';
import { unreachable } from '#kernel/unreachable.js';
import { openJson } from '#people/person/person-seal.js';
import { oneRowProjection } from '#projections/one-row-table.js';
import type { Executor } from '#projections/projection.js';

/** The identity of a user at an OpenID provider. */
export type ProviderIdentity = {
  readonly issuer: string;
  /** A keyed hash of issuer and subject: a subject may be a name or a staff number. */
  readonly subject_key: string;
};

/**
 * Whose time off a calendar link shows: a person's, or that of an org unit; where both are null, that of the
 * user, who is a manager, and of all who report to them.
 */
export type CalendarLinkSubject = { readonly person_id: string | null; readonly org_unit_id: string | null };

/** `sealed`: the e-mail address, encrypted with the user's key. */
type NewUser = { readonly role: Role; readonly sealed: string };

// These names and fields are the storage format: add new ones, never rename or remove.
export type UserEvent =
  /** `awaits_sign_in`: their first sign-in will be recorded; absent in events from before it was. */
  | DomainEvent<'UserInvited', NewUser & { readonly awaits_sign_in?: true }>
  /** The OpenID provider authenticated a person without an invitation. */
  | DomainEvent<'UserRegistered', NewUser>
  | DomainEvent<'UserIdentityLinked', ProviderIdentity>
  /** The first sign-in of an invited user, by a link. */
  | DomainEvent<'UserSignedIn', Record<string, never>>
  | DomainEvent<'UserRoleChanged', { role: Role }>
  | DomainEvent<'UserDeactivated', Record<string, never>>
  | DomainEvent<'UserReactivated', Record<string, never>>
  /** The creator of a sign-in link could use it, so history names them. */
  | DomainEvent<'UserSignInLinkCreated', Record<string, never>>
  /**
   * The link shows approved time off of a person, or of an org unit with those below it; the other is null.
   * Both are null for the team of a manager.
   */
  | DomainEvent<'UserCalendarLinkCreated', CalendarLinkSubject & { readonly link_id: string }>
  | DomainEvent<'UserCalendarLinkRevoked', { readonly link_id: string }>
  /** An AI client reads as the user until it is disconnected, or its session ends otherwise. */
  | DomainEvent<'UserAiClientConnected', { readonly client_id: string }>
  | DomainEvent<'UserAiClientDisconnected', { readonly client_id: string }>
  /** The user is this person of the organisation: the roles by relation see people through it. */
  | DomainEvent<'UserPersonLinked', { person_id: string }>
  | DomainEvent<'UserPersonUnlinked', Record<string, never>>
  | DomainEvent<'UserErased', Record<string, never>>;

export type UserStatus = 'active' | 'deactivated' | 'erased';

export type UserState =
  | { readonly status: 'none' }
  | {
      readonly status: UserStatus;
      readonly role: Role;
      readonly sealed: string;
      readonly identity: ProviderIdentity | null;
      /** Whether they have ever signed in, as far as it was recorded. */
      readonly hasSignedIn: boolean;
      /** The person with whom they are linked; null if there is none. */
      readonly personId: string | null;
      /** Whether they were ever linked with a person: then only an administrator links them again. */
      readonly hasBeenLinked: boolean;
    };

const initialUser: UserState = { status: 'none' };

/** The state with one more event. */
function evolveUser(state: UserState, event: UserEvent): UserState {
  if (event.type === 'UserInvited' || event.type === 'UserRegistered') {
    const { role, sealed } = event.data;
    const hasSignedIn = event.type === 'UserRegistered' || event.data.awaits_sign_in !== true;
    return { status: 'active', role, sealed, identity: null, hasSignedIn, personId: null, hasBeenLinked: false };
  }
  if (state.status === 'none') return state;
  switch (event.type) {
    case 'UserIdentityLinked':
      return { ...state, identity: event.data, hasSignedIn: true };
    case 'UserSignedIn':
      return { ...state, hasSignedIn: true };
    case 'UserRoleChanged':
      return { ...state, role: event.data.role };
    case 'UserDeactivated':
      return { ...state, status: 'deactivated' };
    case 'UserReactivated':
      return { ...state, status: 'active' };
    case 'UserSignInLinkCreated':
    case 'UserCalendarLinkCreated':
    case 'UserCalendarLinkRevoked':
    case 'UserAiClientConnected':
    case 'UserAiClientDisconnected':
      return state;
    case 'UserPersonLinked':
      return { ...state, personId: event.data.person_id, hasBeenLinked: true };
    case 'UserPersonUnlinked':
      return { ...state, personId: null };
    case 'UserErased':
      return { ...state, status: 'erased', identity: null, personId: null };
    default:
      return unreachable(event);
  }
}

export type UserCommand =
  | { readonly type: 'invite'; readonly role: Role; readonly sealed: string }
  /**
   * A sign-in at the OpenID provider; the role is the one that its claim maps to. `personId`: the person who
   * has their address, which links a user who was never linked; null for none.
   */
  | {
      readonly type: 'admit';
      readonly role: Role;
      readonly sealed: string;
      readonly identity: ProviderIdentity;
      readonly personId: string | null;
    }
  | { readonly type: 'set_role'; readonly role: Role }
  | { readonly type: 'deactivate' }
  | { readonly type: 'reactivate' }
  | { readonly type: 'create_sign_in_link' }
  | { readonly type: 'create_calendar_link'; readonly linkId: string; readonly subject: CalendarLinkSubject }
  | { readonly type: 'revoke_calendar_links'; readonly linkIds: readonly string[] }
  | { readonly type: 'connect_ai_client'; readonly clientId: string }
  | { readonly type: 'disconnect_ai_client'; readonly clientId: string }
  | { readonly type: 'link'; readonly personId: string }
  | { readonly type: 'unlink' }
  | { readonly type: 'note_sign_in' }
  | { readonly type: 'erase' };

/** The events of a command, or the reason for its refusal. A command without a change records nothing. */
export function decideUser(command: UserCommand, state: UserState): Decision<UserEvent> {
  if ('role' in command && !isRole(command.role)) {
    return reject({
      kind: 'invalid_request',
      message: 'the role is not valid',
      details: [{ field: 'role', issue: `must be one of ${ROLES.join(', ')}` }],
    });
  }
  if (command.type === 'invite') return invited(command, state);
  if (command.type === 'admit') return admitted(command, state);
  if (state.status === 'none' || state.status === 'erased') return reject(notFound('user', 'there is no such user'));
  switch (command.type) {
    case 'set_role':
      if (state.status === 'deactivated') return reject(conflict('user', DEACTIVATED));
      return state.role === command.role ? accept() : accept({ type: 'UserRoleChanged', data: { role: command.role } });
    case 'deactivate':
      return state.status === 'deactivated' ? accept() : accept({ type: 'UserDeactivated', data: {} });
    case 'reactivate':
      return state.status === 'active' ? accept() : accept({ type: 'UserReactivated', data: {} });
    case 'create_sign_in_link':
      if (state.status === 'deactivated') return reject(conflict('user', DEACTIVATED));
      if (state.identity !== null) return reject(conflict('user', 'the user signs in at the OpenID provider'));
      return accept({ type: 'UserSignInLinkCreated', data: {} });
    case 'create_calendar_link':
      if (state.status === 'deactivated') return reject(conflict('user', DEACTIVATED));
      return accept({ type: 'UserCalendarLinkCreated', data: { link_id: command.linkId, ...command.subject } });
    case 'revoke_calendar_links':
      return accept(
        ...command.linkIds.map((link_id): UserEvent => ({ type: 'UserCalendarLinkRevoked', data: { link_id } })),
      );
    case 'connect_ai_client':
      if (state.status === 'deactivated') return reject(conflict('user', DEACTIVATED));
      return accept({ type: 'UserAiClientConnected', data: { client_id: command.clientId } });
    case 'disconnect_ai_client':
      return accept({ type: 'UserAiClientDisconnected', data: { client_id: command.clientId } });
    case 'link':
      if (state.personId === command.personId) return accept();
      if (state.personId !== null) return reject(conflict('user', 'is linked with another person: unlink them first'));
      return accept({ type: 'UserPersonLinked', data: { person_id: command.personId } });
    case 'unlink':
      return state.personId === null ? accept() : accept({ type: 'UserPersonUnlinked', data: {} });
    case 'note_sign_in':
      return state.hasSignedIn ? accept() : accept({ type: 'UserSignedIn', data: {} });
    case 'erase':
      return accept({ type: 'UserErased', data: {} });
    default:
      return unreachable(command);
  }
}

const DEACTIVATED = 'the user is deactivated: reactivate them first';

function invited({ role, sealed }: Extract<UserCommand, { type: 'invite' }>, state: UserState): Decision<UserEvent> {
  switch (state.status) {
    case 'none':
      return accept({ type: 'UserInvited', data: { role, sealed, awaits_sign_in: true } });
    case 'active':
      return state.role === role
        ? accept()
        : reject(conflict('role', `the user has the role ${state.role}: change it with users set-role`));
    case 'deactivated':
      return reject(conflict('user', DEACTIVATED));
    case 'erased':
      return reject(conflict('user', 'the personal data of the user was erased'));
    default:
      return unreachable(state);
  }
}

function admitted(
  { role, sealed, identity, personId }: Extract<UserCommand, { type: 'admit' }>,
  state: UserState,
): Decision<UserEvent> {
  const linked: UserEvent = { type: 'UserIdentityLinked', data: identity };
  const asPerson: readonly UserEvent[] =
    personId === null ? [] : [{ type: 'UserPersonLinked', data: { person_id: personId } }];
  if (state.status === 'none')
    return accept<UserEvent>({ type: 'UserRegistered', data: { role, sealed } }, linked, ...asPerson);
  if (state.status !== 'active') return reject(denied('the user may not sign in'));
  if (state.identity !== null && !isSame(state.identity, identity)) {
    return reject(denied('the e-mail address belongs to a user with another identity at the provider'));
  }
  const changed: UserEvent = { type: 'UserRoleChanged', data: { role } };
  return accept<UserEvent>(
    ...(state.identity === null ? [linked] : []),
    ...(state.role === role ? [] : [changed]),
    ...(state.hasBeenLinked ? [] : asPerson),
  );
}

function isSame(one: ProviderIdentity, other: ProviderIdentity): boolean {
  return one.issuer === other.issuer && one.subject_key === other.subject_key;
}

function denied(issue: string): Rejection {
  return { kind: 'permission_denied', message: issue, details: [{ field: 'user', issue }] };
}

export const userAggregate = defineAggregate({
  category: 'user',
  idKind: 'user',
  initial: initialUser,
  evolve: evolveUser,
});

/**
 * Users, with their e-mail addresses while their keys exist. Authentication reads them together with a
 * session.
 */
export const userProjection = oneRowProjection(userAggregate, {
  table: 'users',
  columns: [
    'email',
    'role',
    'status',
    'issuer',
    'subject_key',
    'made_by_type',
    'made_by_id',
    'has_signed_in',
    'person_id',
  ],
  afterRebuild: FORGET_AUTHORISATIONS,
  sealed: { personOf: (stream) => partsOfStream(stream[0]!.stream).entityId, open: openUserEvent },
  row: ({ sealed: email, role, status, identity, hasSignedIn, personId }, stream) => ({
    // The key is destroyed after the event, which still needs it to decrypt the address.
    email: status === 'erased' ? ERASED : email,
    role,
    status,
    issuer: identity?.issuer ?? null,
    subject_key: identity?.subject_key ?? null,
    made_by_type: stream[0]!.metadata.actor.type,
    made_by_id: stream[0]!.metadata.actor.id,
    has_signed_in: hasSignedIn,
    person_id: personId,
  }),
});

/** The event with the decrypted address; without the key, after erasure, it reads `[erased]`. */
function openUserEvent({ type, data }: DomainEvent, key: Buffer | null): UserEvent {
  const { sealed } = data;
  if (typeof sealed !== 'string') return { type, data } as UserEvent;
  return { type, data: { ...data, sealed: key === null ? ERASED : openJson(sealed, key) } } as UserEvent;
}

export const USERS_MIGRATION: Migration = {
  version: 7,
  name: 'users and their sessions',
  sql: `
create table users (
  organisation_id text collate "C" not null,
  id text collate "C" not null,
  revision bigint not null,
  email text not null,
  role text not null,
  status text not null,
  issuer text,
  subject_key text,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (organisation_id, id)
);
create index users_of_provider on users (organisation_id, subject_key) where subject_key is not null;
${bumpAuthorisationVersion('users')}
${USER_SESSIONS_SCHEMA}`,
};

/** Earlier users count as having signed in, because it was not recorded. */
export const SIGN_INS_MIGRATION: Migration = {
  version: 21,
  name: 'first and finished sign-ins',
  sql: `alter table users add column has_signed_in boolean not null default true;\n${FINISHED_SIGN_INS_SCHEMA}`,
};

/** One user is one person, and one person is at most one user. */
export const PERSON_OF_USER_MIGRATION: Migration = {
  version: 34,
  name: 'the people whom users are',
  sql: `alter table users add column person_id text collate "C";
create unique index users_of_people on users (organisation_id, person_id) where person_id is not null;`,
};

/** A row of `users`. */
export interface UserRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly email: string;
  readonly role: Role;
  readonly status: UserStatus;
  /** The OpenID provider at which the user has signed in; null for a user who uses links only. */
  readonly issuer: string | null;
  /** Whether they have ever signed in, as far as it was recorded. */
  readonly has_signed_in: boolean;
  /** The person with whom they are linked; null if there is none. */
  readonly person_id: string | null;
  readonly created_at: Date;
}

/** The status of a user in lists and responses: an invited user who has never signed in is not active yet. */
export function statusOfUser({
  status,
  has_signed_in: hasSignedIn,
}: Pick<UserRow, 'status' | 'has_signed_in'>): UserStatus | 'invited' {
  return status === 'active' && !hasSignedIn ? 'invited' : status;
}

const COLUMNS = 'id, organisation_id, email, role, status, issuer, has_signed_in, person_id, created_at';

/** The user with this id; null if the organisation has none. */
export async function findUser(executor: Executor, organisationId: string, id: string): Promise<UserRow | null> {
  const { rows } = await executor.query<UserRow>({
    name: 'find-user',
    text: `select ${COLUMNS} from users where organisation_id = $1 and id = $2`,
    values: [organisationId, id],
  });
  return rows[0] ?? null;
}

/**
 * The user with this e-mail address or id, for operators; null if the organisation has none. An erased user
 * has only an id.
 */
export async function findNamedUser(
  executor: Executor,
  organisationId: string,
  idOrEmail: string,
): Promise<UserRow | null> {
  const { rows } = await executor.query<UserRow>({
    text: `select ${COLUMNS} from users where organisation_id = $1 and (id = $2 or (lower(email) = lower($2)
      and status <> 'erased'))`,
    values: [organisationId, idOrEmail],
  });
  return rows[0] ?? null;
}

/** The user who is linked with this identity at a provider, by its keyed hash; null if there is none. */
export async function findUserBySubject(
  executor: Executor,
  organisationId: string,
  subjectKey: string,
): Promise<UserRow | null> {
  const { rows } = await executor.query<UserRow>({
    text: `select ${COLUMNS} from users where organisation_id = $1 and subject_key = $2 order by created_at limit 1`,
    values: [organisationId, subjectKey],
  });
  return rows[0] ?? null;
}

/** The user who is linked with a person; null if there is none. */
export async function findUserOfPerson(
  executor: Executor,
  organisationId: string,
  personId: string,
): Promise<UserRow | null> {
  const { rows } = await executor.query<UserRow>({
    text: `select ${COLUMNS} from users where organisation_id = $1 and person_id = $2`,
    values: [organisationId, personId],
  });
  return rows[0] ?? null;
}

/** A user in a list. */
export interface ListedUser extends UserRow {
  /** Sessions that have not ended. */
  readonly sessions: number;
}

/** Selects users `u`, each with the number of their sessions that have not ended at a time. */
function listedUsers(now: Date): Sql {
  return sql`select ${raw(COLUMNS)}, (select count(*)::integer from user_sessions s
      where s.organisation_id = u.organisation_id and s.user_id = u.id and s.idle_until > ${now}
        and s.expires_at > ${now}) as sessions from users u`;
}

/** The users of an organisation, or of all organisations if it is null, oldest first. */
export async function listUsers(
  executor: Executor,
  organisationId: string | null,
  now: Date,
): Promise<readonly ListedUser[]> {
  const ofOrganisation = organisationId === null ? sql`` : sql`where organisation_id = ${organisationId}`;
  const { rows } = await executor.query<ListedUser>(
    sql`${listedUsers(now)} ${ofOrganisation} order by organisation_id, created_at, id`,
  );
  return rows;
}

/** A page of an organisation's users, in the order of creation, without erased ones. */
export async function listUserPage(
  executor: Executor,
  page: {
    readonly organisationId: string;
    readonly after: CreationCursor | null;
    readonly count: number;
    readonly now: Date;
  },
): Promise<readonly ListedUser[]> {
  const { organisationId, after, count, now } = page;
  const isLater = after === null ? sql`` : sql` and (created_at, id) > (${after.createdAt}, ${after.id})`;
  const { rows } = await executor.query<ListedUser>(
    prepared(sql`${listedUsers(now)}
      where organisation_id = ${organisationId} and status <> 'erased'${isLater}
        order by created_at, id limit ${count}`),
  );
  return rows;
}

/** The number of active administrators of an organisation, without this one. */
export async function countOtherAdministrators(
  executor: Executor,
  organisationId: string,
  id: string,
): Promise<number> {
  const { rows } = await executor.query<{ count: number }>({
    name: 'count-administrators',
    text: `select count(*)::integer as count from users
            where organisation_id = $1 and id <> $2 and status = 'active' and role = 'administrator'`,
    values: [organisationId, id],
  });
  return rows[0]!.count;
}
