import type { CommandContext } from '#commands/command-context.js';
import type { Configuration } from '#configuration/configuration.js';
import { endSessionsOf, LINK_MINUTES } from '#http/sessions/sessions.js';
import type { JsonObject } from '#kernel/json.js';
import type { Role } from '#kernel/roles.js';
import { abandonLeftRebuilds } from '#projections/rebuild/abandon-rebuild.js';
import { PROJECTIONS } from '#composition/registry.js';
import type { Executor } from '#projections/projection.js';
import type { ApiKeyRow } from '#access/api-key/api-key.js';
import { ChangeUserAsOperator, EraseUser, InviteUserAsOperator } from '#access/user/operate-users.js';
import { findNamedUser, listUsers as findAll, statusOfUser, type UserRow } from '#access/user/user.js';
import type { OrganisationRow } from '#organisation/organisation/organisation.js';
import type { Call, Outcome } from '../declaration.js';
import { NotFoundError, UsageError } from '../command-error.js';
import { countInWords } from '../count-in-words.js';
import { type Installation, withInstallation } from '../installation.js';
import { sendAsOperator } from '../send-as-operator.js';
import { textTable } from '../text-table.js';
import { requireOrganisation } from '../find-named.js';

/** `workforce users invite`. */
export function inviteUser({ arguments: [email], options }: Call): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const { pool, configuration } = installation;
    const organisation = await requireOrganisation(pool, options['organisation'] as string);
    const requested = { email: email!, role: options['role'] as Role };
    const invite = (context: CommandContext) => new InviteUserAsOperator(context, requested);
    const { row: user, link: made } = await sendAsOperator(installation, organisation, invite);
    const link = signInLink(publicAddress(configuration), made.token);
    const about = `${user.email} of ${organisation.name}, ${user.role} (${user.id}).`;
    return {
      json: { ...userJson(user), link, link_expires_at: made.expiresAt.toISOString() },
      text: `${link}\n\nThis link signs in once, within ${LINK_MINUTES} minutes; an earlier one no longer works. ${about}`,
    };
  });
}

/** `workforce users list`. */
export function listUsers({ options }: Call): Promise<Outcome> {
  return withInstallation(async ({ pool }) => {
    const named = options['organisation'] as string | undefined;
    const organisation = named === undefined ? null : await requireOrganisation(pool, named);
    const users = await findAll(pool, organisation?.id ?? null, new Date());
    const rows = users.map((one) => [
      one.id,
      one.organisation_id,
      one.email,
      one.role,
      statusOfUser(one),
      one.issuer ?? 'link',
      String(one.sessions),
    ]);
    return {
      json: { users: users.map((one) => ({ ...userJson(one), sessions: one.sessions })) },
      text: textTable(['ID', 'ORGANISATION', 'E-MAIL', 'ROLE', 'STATE', 'SIGNS IN BY', 'SESSIONS'], rows),
    };
  });
}

/** `workforce users set-role`. */
export function setRole(call: Call): Promise<Outcome> {
  return withUser(call, async ({ installation, organisation, user }) => {
    const change = { type: 'set_role', role: call.options['role'] as Role } as const;
    const { row } = await sendAsOperator(
      installation,
      organisation,
      (context) => new ChangeUserAsOperator(context, user.id, change),
    );
    return { json: userJson(row), text: `${row.email} has the role ${row.role}.` };
  });
}

/** `workforce users deactivate`, `reactivate` and `erase`. */
export function changeUser(call: Call, type: 'deactivate' | 'reactivate' | 'erase'): Promise<Outcome> {
  return withUser(call, async ({ installation, organisation, user }) => {
    const revokeKeys = call.options['keepKeys'] !== true;
    if (type === 'erase') {
      if (call.options['yes'] !== true) throw new UsageError('An erasure cannot be undone: confirm it with --yes.');
      const revoked = await sendAsOperator(
        installation,
        organisation,
        (context) => new EraseUser(context, user.id, revokeKeys),
      );
      // An unfinished rebuild has copies of addresses, and may never be resumed.
      await abandonLeftRebuilds(installation.pool, PROJECTIONS);
      return {
        json: { id: user.id, status: 'erased', revoked_keys: keysJson(revoked) },
        text: `Erased ${user.id}.${keysText(revoked)}`,
      };
    }
    const change = type === 'deactivate' ? { type, revokeKeys } : { type };
    const changed = await sendAsOperator(
      installation,
      organisation,
      (context) => new ChangeUserAsOperator(context, user.id, change),
    );
    const { row, revokedKeys } = changed;
    return {
      json: { ...userJson(row), ...(type === 'deactivate' ? { revoked_keys: keysJson(revokedKeys) } : {}) },
      text: `${row.email} is ${statusOfUser(row)}.${keysText(revokedKeys)}`,
    };
  });
}

function keysJson(keys: readonly ApiKeyRow[]): JsonObject[] {
  return keys.map(({ key_id: id, name }) => ({ id, name }));
}

function keysText(keys: readonly ApiKeyRow[]): string {
  if (keys.length === 0) return '';
  return ` Revoked ${countInWords(keys.length, 'API key')} that they made:\n${keys.map((key) => `  ${key.key_id}  ${key.name}`).join('\n')}`;
}

/** `workforce users sign-out`. */
export function signOut(call: Call): Promise<Outcome> {
  return withUser(call, async ({ installation, organisation, user }) => {
    const sessions = await endSessionsOf(installation.pool, { organisationId: organisation.id, userId: user.id });
    return {
      json: { id: user.id, sessions_ended: sessions },
      text: `Ended ${countInWords(sessions, 'session')} of ${user.email}.`,
    };
  });
}

/**
 * The link that signs in with a token. Its fragment never leaves the browser, so that no server or proxy logs
 * it.
 */
export function signInLink(address: string, token: string): string {
  return `${address}/console/sign-in#${token}`;
}

/**
 * Where browsers reach the API, as far as the configuration says it: without `PUBLIC_URL`, on this machine.
 */
function publicAddress({ publicUrl, host, port }: Configuration): string {
  if (publicUrl !== null) return publicUrl.replace(/\/+$/, '');
  const isAll = host === '0.0.0.0' || host === '::';
  return `http://${isAll ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
}

interface Named {
  readonly installation: Installation;
  readonly organisation: OrganisationRow;
  readonly user: UserRow;
}

function withUser({ arguments: [who], options }: Call, work: (named: Named) => Promise<Outcome>): Promise<Outcome> {
  return withInstallation(async (installation) => {
    const organisation = await requireOrganisation(installation.pool, options['organisation'] as string);
    const user = await requireUser(installation.pool, organisation, who!);
    return work({ installation, organisation, user });
  });
}

async function requireUser(executor: Executor, organisation: OrganisationRow, who: string): Promise<UserRow> {
  const user = await findNamedUser(executor, organisation.id, who);
  if (user !== null) return user;
  throw new NotFoundError(`${organisation.name} has no user ${who}: workforce users list shows all.`);
}

function userJson(row: UserRow): JsonObject {
  const { id, organisation_id, email, role, issuer, created_at } = row;
  return { id, organisation_id, email, role, status: statusOfUser(row), issuer, created_at: created_at.toISOString() };
}
