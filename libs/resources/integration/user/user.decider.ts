import { accept, type Decision, defineAggregate, type DomainEvent, reject } from '#kernel/aggregate.js';
import { conflict, notFound, type Rejection } from '#kernel/rejection.js';
import { isRole, type Role, ROLES } from '#kernel/roles.js';
import { unreachable } from '#kernel/unreachable.js';

/** The identity of a user at an OpenID provider. */
export type ProviderIdentity = {
  readonly issuer: string;
  /** A keyed hash of issuer and subject: a subject may be a name or a staff number. */
  readonly subject_key: string;
};

/** `sealed`: the e-mail address, encrypted with the user's key. */
type NewUser = { readonly role: Role; readonly sealed: string };

// These names and fields are the storage format: add new ones, never rename or remove.
export type UserEvent =
  /** `awaits_sign_in`: their first sign-in will be recorded; absent in events from before it was. */
  | DomainEvent<'UserInvited', NewUser & { readonly awaits_sign_in?: true }>
  /** The OpenID provider vouched for somebody whom nobody had invited. */
  | DomainEvent<'UserRegistered', NewUser>
  | DomainEvent<'UserIdentityLinked', ProviderIdentity>
  /** The first sign-in of somebody who was invited, by a link. */
  | DomainEvent<'UserSignedIn', Record<string, never>>
  | DomainEvent<'UserRoleChanged', { role: Role }>
  | DomainEvent<'UserDeactivated', Record<string, never>>
  | DomainEvent<'UserReactivated', Record<string, never>>
  /** A caller who makes a link that signs in as the user could use it, so history names them. */
  | DomainEvent<'UserSignInLinkCreated', Record<string, never>>
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
    };

export const initialUser: UserState = { status: 'none' };

/** The state with one more event. */
export function evolveUser(state: UserState, event: UserEvent): UserState {
  if (event.type === 'UserInvited' || event.type === 'UserRegistered') {
    const { role, sealed } = event.data;
    const hasSignedIn = event.type === 'UserRegistered' || event.data.awaits_sign_in !== true;
    return { status: 'active', role, sealed, identity: null, hasSignedIn };
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
      return state;
    case 'UserErased':
      return { ...state, status: 'erased', identity: null };
    default:
      return unreachable(event);
  }
}

export type UserCommand =
  | { readonly type: 'invite'; readonly role: Role; readonly sealed: string }
  /** Somebody signed in at the OpenID provider; the role is the one that its claim maps to. */
  | { readonly type: 'admit'; readonly role: Role; readonly sealed: string; readonly identity: ProviderIdentity }
  | { readonly type: 'set_role'; readonly role: Role }
  | { readonly type: 'deactivate' }
  | { readonly type: 'reactivate' }
  | { readonly type: 'create_sign_in_link' }
  | { readonly type: 'note_sign_in' }
  | { readonly type: 'erase' };

/** What a command records, or why it is refused. A command that changes nothing records nothing. */
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

function admitted({ role, sealed, identity }: Extract<UserCommand, { type: 'admit' }>, state: UserState): Decision<UserEvent> {
  const linked: UserEvent = { type: 'UserIdentityLinked', data: identity };
  if (state.status === 'none') return accept<UserEvent>({ type: 'UserRegistered', data: { role, sealed } }, linked);
  if (state.status !== 'active') return reject(denied('the user may not sign in'));
  if (state.identity !== null && !isSame(state.identity, identity)) {
    return reject(denied('the e-mail address belongs to a user with another identity at the provider'));
  }
  const changed: UserEvent = { type: 'UserRoleChanged', data: { role } };
  return accept<UserEvent>(...(state.identity === null ? [linked] : []), ...(state.role === role ? [] : [changed]));
}

function isSame(one: ProviderIdentity, other: ProviderIdentity): boolean {
  return one.issuer === other.issuer && one.subject_key === other.subject_key;
}

function denied(issue: string): Rejection {
  return { kind: 'permission_denied', message: issue, details: [{ field: 'user', issue }] };
}

export const userAggregate = defineAggregate({ category: 'user', idKind: 'user', initial: initialUser, evolve: evolveUser });
