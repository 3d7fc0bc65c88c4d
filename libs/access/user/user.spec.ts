import { fold } from '#kernel/aggregate.js';
import type { Role } from '#kernel/roles.js';
import { decideUser, type UserCommand, type UserEvent, userAggregate } from './user.js';

const IDENTITY = { issuer: 'https://login.example', subject_key: 'k1' };
const INVITED: UserEvent = { type: 'UserInvited', data: { role: 'hr', sealed: 's', awaits_sign_in: true } };
const REGISTERED: UserEvent = { type: 'UserRegistered', data: { role: 'hr', sealed: 's' } };
const LINKED: UserEvent = { type: 'UserIdentityLinked', data: IDENTITY };
const DEACTIVATED: UserEvent = { type: 'UserDeactivated', data: {} };
const REACTIVATED: UserEvent = { type: 'UserReactivated', data: {} };
const ERASED: UserEvent = { type: 'UserErased', data: {} };
const changedTo = (role: Role): UserEvent => ({ type: 'UserRoleChanged', data: { role } });
const invite = (role: Role): UserCommand => ({ type: 'invite', role, sealed: 's' });
const admit = (role: Role, identity = IDENTITY, personId: string | null = null): UserCommand => ({
  ...{ type: 'admit', role, sealed: 's' },
  ...{ identity, personId },
});

function given(...events: readonly UserEvent[]) {
  return { when: (command: UserCommand) => decideUser(command, fold(userAggregate, events)) };
}

const refused = (kind: string) => ({ rejection: { kind } });

describe('an invitation', () => {
  it('creates a user, once', () => {
    expect(given().when(invite('hr'))).toEqual({ events: [INVITED] });
    expect(given(INVITED).when(invite('hr'))).toEqual({ events: [] });
  });

  it('changes no role, and reactivates no user', () => {
    expect(given(INVITED).when(invite('administrator'))).toMatchObject(refused('conflict'));
    expect(given(INVITED, DEACTIVATED).when(invite('hr'))).toMatchObject(refused('conflict'));
    expect(given(INVITED, ERASED).when(invite('hr'))).toMatchObject(refused('conflict'));
  });

  it('needs a known role', () => {
    expect(given().when(invite('owner' as Role))).toMatchObject({
      rejection: { kind: 'invalid_request', details: [{ field: 'role' }] },
    });
  });
});

describe('the first sign-in', () => {
  const SIGNED_IN: UserEvent = { type: 'UserSignedIn', data: {} };
  const note: UserCommand = { type: 'note_sign_in' };
  const hasSignedIn = (...events: readonly UserEvent[]): unknown =>
    (fold(userAggregate, events) as { hasSignedIn?: boolean }).hasSignedIn;

  it('of an invited user is recorded once', () => {
    expect(given(INVITED).when(note)).toEqual({ events: [SIGNED_IN] });
    expect(given(INVITED, SIGNED_IN).when(note)).toEqual({ events: [] });
    expect(given(INVITED, LINKED).when(note)).toEqual({ events: [] });
    expect(given(REGISTERED, LINKED).when(note)).toEqual({ events: [] });
  });

  it('is awaited until then, except for users who were invited before sign-ins were recorded', () => {
    expect([
      hasSignedIn(INVITED),
      hasSignedIn(INVITED, DEACTIVATED, REACTIVATED),
      hasSignedIn(INVITED, SIGNED_IN),
    ]).toEqual([false, false, true]);
    expect(hasSignedIn({ type: 'UserInvited', data: { role: 'hr', sealed: 's' } })).toBe(true);
  });
});

describe('a sign-in at the OpenID provider', () => {
  it('registers a person without an invitation, and links one who was invited', () => {
    expect(given().when(admit('hr'))).toEqual({ events: [REGISTERED, LINKED] });
    expect(given(INVITED).when(admit('hr'))).toEqual({ events: [LINKED] });
    expect(given(REGISTERED, LINKED).when(admit('hr'))).toEqual({ events: [] });
  });

  it('gives the role of its claim', () => {
    expect(given(REGISTERED, LINKED).when(admit('viewer'))).toEqual({ events: [changedTo('viewer')] });
    expect(given(INVITED).when(admit('viewer'))).toEqual({ events: [LINKED, changedTo('viewer')] });
  });

  it.each([
    ['another subject', { ...IDENTITY, subject_key: 'k2' }],
    ['another issuer', { ...IDENTITY, issuer: 'https://other.example' }],
  ])('of %s with the address of a user is refused', (_, identity) => {
    expect(given(REGISTERED, LINKED).when(admit('hr', identity))).toMatchObject(refused('permission_denied'));
  });

  it('links a user with the person of their address, unless they were ever linked', () => {
    const person = (person_id: string): UserEvent => ({ type: 'UserPersonLinked', data: { person_id } });
    const asAda = admit('hr', IDENTITY, 'ada');
    expect(given().when(asAda)).toEqual({ events: [REGISTERED, LINKED, person('ada')] });
    expect(given(REGISTERED, LINKED).when(asAda)).toEqual({ events: [person('ada')] });
    expect(given(REGISTERED, LINKED, person('bob')).when(asAda)).toEqual({ events: [] });
    const unlinked: UserEvent = { type: 'UserPersonUnlinked', data: {} };
    expect(given(INVITED, person('ada'), unlinked).when(asAda)).toEqual({ events: [LINKED] });
  });

  it('of a deactivated or an erased user is refused', () => {
    expect(given(REGISTERED, LINKED, DEACTIVATED).when(admit('hr'))).toMatchObject(refused('permission_denied'));
    expect(given(REGISTERED, LINKED, ERASED).when(admit('hr'))).toMatchObject(refused('permission_denied'));
    expect(given(REGISTERED, LINKED, DEACTIVATED, REACTIVATED).when(admit('hr'))).toEqual({ events: [] });
  });
});

describe('a user', () => {
  it('gets another role, once', () => {
    expect(given(INVITED).when({ type: 'set_role', role: 'auditor' })).toEqual({ events: [changedTo('auditor')] });
    expect(given(INVITED, changedTo('auditor')).when({ type: 'set_role', role: 'auditor' })).toEqual({ events: [] });
    expect(given(INVITED, DEACTIVATED).when({ type: 'set_role', role: 'auditor' })).toMatchObject(refused('conflict'));
  });

  it('is deactivated and reactivated, once each', () => {
    expect(given(INVITED).when({ type: 'deactivate' })).toEqual({ events: [DEACTIVATED] });
    expect(given(INVITED, DEACTIVATED).when({ type: 'deactivate' })).toEqual({ events: [] });
    expect(given(INVITED, DEACTIVATED).when({ type: 'reactivate' })).toEqual({ events: [REACTIVATED] });
    expect(given(INVITED).when({ type: 'reactivate' })).toEqual({ events: [] });
  });

  it('gets a link each time, unless they are deactivated or sign in at the OpenID provider', () => {
    const link: UserEvent = { type: 'UserSignInLinkCreated', data: {} };
    expect(given(INVITED).when({ type: 'create_sign_in_link' })).toEqual({ events: [link] });
    expect(given(INVITED, link).when({ type: 'create_sign_in_link' })).toEqual({ events: [link] });
    expect(given(INVITED, DEACTIVATED).when({ type: 'create_sign_in_link' })).toMatchObject(refused('conflict'));
    expect(given(INVITED, LINKED).when({ type: 'create_sign_in_link' })).toMatchObject(refused('conflict'));
    expect(given(INVITED, ERASED).when({ type: 'create_sign_in_link' })).toMatchObject(refused('not_found'));
  });

  it('gets a calendar link each time, unless they are deactivated, and loses those that are revoked', () => {
    const subject = { person_id: null, org_unit_id: 'unit' };
    const create = { type: 'create_calendar_link', linkId: 'one', subject } as const;
    const created: UserEvent = { type: 'UserCalendarLinkCreated', data: { link_id: 'one', ...subject } };
    const revoked = (link_id: string): UserEvent => ({ type: 'UserCalendarLinkRevoked', data: { link_id } });
    const revoke = { type: 'revoke_calendar_links', linkIds: ['one', 'two'] } as const;
    expect(given(INVITED).when(create)).toEqual({ events: [created] });
    expect(given(INVITED, DEACTIVATED).when(create)).toMatchObject(refused('conflict'));
    expect(given(INVITED, ERASED).when(create)).toMatchObject(refused('not_found'));
    expect(given(INVITED, created).when(revoke)).toEqual({ events: [revoked('one'), revoked('two')] });
    expect(fold(userAggregate, [INVITED, created, revoked('one')])).toEqual(fold(userAggregate, [INVITED]));
  });

  it('is linked with one person, once, and unlinked, once', () => {
    const linked = (personId: string): UserEvent => ({ type: 'UserPersonLinked', data: { person_id: personId } });
    const unlinked: UserEvent = { type: 'UserPersonUnlinked', data: {} };
    expect(given(INVITED).when({ type: 'link', personId: 'ada' })).toEqual({ events: [linked('ada')] });
    expect(given(INVITED, linked('ada')).when({ type: 'link', personId: 'ada' })).toEqual({ events: [] });
    expect(given(INVITED, linked('ada')).when({ type: 'link', personId: 'bob' })).toMatchObject(refused('conflict'));
    expect(given(INVITED, linked('ada')).when({ type: 'unlink' })).toEqual({ events: [unlinked] });
    expect(given(INVITED, linked('ada'), unlinked).when({ type: 'unlink' })).toEqual({ events: [] });
    const again = given(INVITED, linked('ada'), unlinked).when({ type: 'link', personId: 'bob' });
    expect(again).toEqual({ events: [linked('bob')] });
    expect(given(INVITED, ERASED).when({ type: 'link', personId: 'ada' })).toMatchObject(refused('not_found'));
    expect(fold(userAggregate, [INVITED, linked('ada'), ERASED])).toMatchObject({ personId: null });
  });

  it('is erased for good', () => {
    expect(given(INVITED).when({ type: 'erase' })).toEqual({ events: [ERASED] });
    for (const type of ['erase', 'deactivate', 'reactivate'] as const) {
      expect(given(INVITED, ERASED).when({ type })).toMatchObject(refused('not_found'));
      expect(given().when({ type })).toMatchObject(refused('not_found'));
    }
  });
});
