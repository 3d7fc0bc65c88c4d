import type { ApiKeyRow } from '#access/api-key/api-key.js';
import { ChangeUserAsOperator, EraseUser, InviteUserAsOperator } from '#access/user/operate-users.js';
import { findNamedUser, listUsers, statusOfUser, type UserRow } from '#access/user/user.js';
import { PROJECTIONS } from '#composition/registry.js';
import type { Configuration } from '#configuration/configuration.js';
import { endSessionsOf, LINK_MINUTES } from '#access/authentication/sessions.js';
import { ROLES } from '#kernel/roles.js';
import { abandonLeftRebuilds } from '#projections/rebuild/abandon-rebuild.js';
import { command } from '../command.js';
import { NotFoundError, UsageError } from '../command-error.js';
import type { Outcome } from '../declaration.js';
import { countInWords } from '#kernel/count-in-words.js';
import { ANY_ORGANISATION, argument, choice, flag, lookedUp, ORGANISATION, person, required } from '../options.js';
import { listOf } from '../text-table.js';

const USER = {
  user: required(
    lookedUp('', 'e-mail address or id of the user, from users list', async ({ pool, organisation }, who) => {
      const { id, name } = organisation!;
      const user = await findNamedUser(pool, id, who);
      if (user === null) throw new NotFoundError(`${name} has no user ${who}: workforce users list shows all.`);
      return user;
    }),
  ),
};
const ROLE = { role: required(choice('<role>', 'what the user may do', ROLES)), organisation: ORGANISATION };
const KEEP_KEYS = flag('leave the API keys that they made, which are revoked otherwise');

/** `workforce users …`: the people of an organisation who sign in. */
export const commands = {
  invite: command({
    description: 'make a user, or find the one there is, and print a link to sign in once, which works for 15 minutes',
    arguments: { email: argument('e-mail address') },
    options: ROLE,
    run: async ({ email, role, organisation }, { installation, send }) => {
      const invited = await send((context) => new InviteUserAsOperator(context, { email, role }));
      const { row: user, link: made } = invited;
      // Its fragment never leaves the browser, so that no server or proxy logs it.
      const link = `${publicAddress(installation.configuration)}/console/sign-in#${made.token}`;
      const about = `${user.email} of ${organisation.name}, ${user.role} (${user.id}).`;
      return {
        json: { ...userJson(user), link, link_expires_at: made.expiresAt },
        text: `${link}\n\nThis link signs in once, within ${LINK_MINUTES} minutes; an earlier one no longer works. ${about}`,
      };
    },
  }),
  list: command({
    description: 'list users, their roles and how many sessions they have',
    options: { organisation: ANY_ORGANISATION },
    run: async ({ organisation }, { pool }) => {
      const users = await listUsers(pool, organisation?.id ?? null, new Date());
      return listOf(
        'users',
        users,
        {
          ID: 'id',
          ORGANISATION: 'organisation_id',
          'E-MAIL': 'email',
          ROLE: 'role',
          STATE: statusOfUser,
          'SIGNS IN BY': ({ issuer }) => issuer ?? 'link',
          SESSIONS: 'sessions',
        },
        (one) => ({ ...userJson(one), sessions: one.sessions }),
      );
    },
  }),
  'set-role': command({
    description: 'give a user another role, which their open sessions have within a second',
    arguments: USER,
    options: ROLE,
    run: async ({ user, role }, { send }) => {
      const { row } = await send((context) => new ChangeUserAsOperator(context, user.id, { type: 'set_role', role }));
      return { json: userJson(row), text: `${row.email} has the role ${row.role}.` };
    },
  }),
  deactivate: command({
    description: 'keep a user from signing in, end their sessions, and revoke the API keys that they made',
    arguments: USER,
    options: { keep_keys: KEEP_KEYS, organisation: ORGANISATION },
    run: async ({ user, keep_keys: keepsKeys }, { send }) => {
      const change = { type: 'deactivate', revokeKeys: !keepsKeys } as const;
      const { row, revokedKeys } = await send((context) => new ChangeUserAsOperator(context, user.id, change));
      return withRevoked(userJson(row), `${row.email} is ${statusOfUser(row)}.`, revokedKeys);
    },
  }),
  link: command({
    description: 'say which person a user is, so that an employee sees themselves, and a manager their team too',
    arguments: { ...USER, person: required(person()) },
    options: { organisation: ORGANISATION },
    run: async ({ user, person: { person_id: personId, display_name: name } }, { send }) => {
      const { row } = await send((context) => new ChangeUserAsOperator(context, user.id, { type: 'link', personId }));
      return { json: userJson(row), text: `${row.email} is ${name} (${personId}).` };
    },
  }),
  unlink: command({
    description: 'end the link of a user with a person, and their sessions',
    arguments: USER,
    options: { organisation: ORGANISATION },
    run: async ({ user }, { send }) => {
      const { row } = await send((context) => new ChangeUserAsOperator(context, user.id, { type: 'unlink' }));
      return { json: userJson(row), text: `${row.email} is linked with no person.` };
    },
  }),
  reactivate: command({
    description: 'let a deactivated user sign in again',
    arguments: USER,
    options: { organisation: ORGANISATION },
    run: async ({ user }, { send }) => {
      const { row } = await send((context) => new ChangeUserAsOperator(context, user.id, { type: 'reactivate' }));
      return { json: userJson(row), text: `${row.email} is ${statusOfUser(row)}.` };
    },
  }),
  erase: command({
    description: 'erase the e-mail address of a user, who can never sign in again',
    arguments: USER,
    options: { yes: flag('confirm it'), keep_keys: KEEP_KEYS, organisation: ORGANISATION },
    run: async ({ user, yes, keep_keys: keepsKeys }, { pool, send }) => {
      if (!yes) throw new UsageError('An erasure cannot be undone: confirm it with --yes.');
      const revoked = await send((context) => new EraseUser(context, user.id, !keepsKeys));
      // An unfinished rebuild has copies of addresses, and may never be resumed.
      await abandonLeftRebuilds(pool, PROJECTIONS);
      return withRevoked({ id: user.id, status: 'erased' }, `Erased ${user.id}.`, revoked);
    },
  }),
  'sign-out': command({
    description: 'end all sessions of a user and withdraw their link',
    arguments: USER,
    options: { organisation: ORGANISATION },
    run: async ({ user, organisation }, { pool }) => {
      const sessions = await endSessionsOf(pool, { organisationId: organisation.id, userId: user.id });
      return {
        json: { id: user.id, sessions_ended: sessions },
        text: `Ended ${countInWords(sessions, 'session')} of ${user.email}.`,
      };
    },
  }),
};

function withRevoked(json: object, sentence: string, keys: readonly ApiKeyRow[]): Outcome {
  const lines = keys.map(({ key_id: id, name }) => `\n  ${id}  ${name}`).join('');
  const revoked = lines === '' ? '' : ` Revoked ${countInWords(keys.length, 'API key')} that they made:${lines}`;
  return {
    json: { ...json, revoked_keys: keys.map(({ key_id: id, name }) => ({ id, name })) },
    text: `${sentence}${revoked}`,
  };
}

/**
 * Where browsers reach the API, as far as the configuration says it: without `PUBLIC_URL`, on this machine.
 */
function publicAddress({ publicUrl, host, port }: Configuration): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, '');
  const isAll = host === '0.0.0.0' || host === '::';
  return `http://${isAll ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

function userJson(row: UserRow): object {
  const { id, organisation_id, email, role, issuer, person_id, created_at } = row;
  return { id, organisation_id, email, role, status: statusOfUser(row), issuer, person_id, created_at };
}
