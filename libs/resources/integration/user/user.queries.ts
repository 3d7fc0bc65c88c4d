import { prepared, raw, type Sql, sql } from '#database/sql.js';
import type { CreationPlace } from '#http/pages.js';
import type { Role } from '#kernel/roles.js';
import type { Executor } from '#projections/projection.js';
import type { UserStatus } from './user.decider.js';

/** A row of `users`. */
export interface UserRow {
  readonly id: string;
  readonly organisation_id: string;
  readonly email: string;
  readonly role: Role;
  readonly status: UserStatus;
  /** The OpenID provider at which the user has signed in; null for a user who uses links alone. */
  readonly issuer: string | null;
  /** Whether they have ever signed in, as far as it was recorded. */
  readonly has_signed_in: boolean;
  readonly created_at: Date;
}

/** The state of a user as people see it: somebody who was invited and never came is not active yet. */
export function shownStatus({ status, has_signed_in: hasSignedIn }: Pick<UserRow, 'status' | 'has_signed_in'>): UserStatus | 'invited' {
  return status === 'active' && !hasSignedIn ? 'invited' : status;
}

const COLUMNS = 'id, organisation_id, email, role, status, issuer, has_signed_in, created_at';

/** The user with this id; null where the organisation has none. */
export async function findUser(executor: Executor, organisationId: string, id: string): Promise<UserRow | null> {
  const { rows } = await executor.query<UserRow>({
    name: 'find-user',
    text: `select ${COLUMNS} from users where organisation_id = $1 and id = $2`,
    values: [organisationId, id],
  });
  return rows[0] ?? null;
}

/** The user whom an operator names by e-mail address or id; null where the organisation has none. An erased one has an id alone. */
export async function findNamedUser(executor: Executor, organisationId: string, who: string): Promise<UserRow | null> {
  const { rows } = await executor.query<UserRow>({
    text: `select ${COLUMNS} from users where organisation_id = $1 and (id = $2 or (lower(email) = lower($2) and status <> 'erased'))`,
    values: [organisationId, who],
  });
  return rows[0] ?? null;
}

/** The user who is linked with this identity at a provider, by its keyed hash; null where there is none. */
export async function findUserBySubject(executor: Executor, organisationId: string, subjectKey: string): Promise<UserRow | null> {
  const { rows } = await executor.query<UserRow>({
    text: `select ${COLUMNS} from users where organisation_id = $1 and subject_key = $2 order by created_at limit 1`,
    values: [organisationId, subjectKey],
  });
  return rows[0] ?? null;
}

/** A user as a list shows them. */
export interface ListedUser extends UserRow {
  /** Sessions that have not ended. */
  readonly sessions: number;
}

/** Selects users `u`, each with the number of their sessions that have not ended at a moment. */
function listedUsers(now: Date): Sql {
  return sql`select ${raw(COLUMNS)}, (select count(*)::integer from user_sessions s
      where s.organisation_id = u.organisation_id and s.user_id = u.id and s.idle_until > ${now} and s.expires_at > ${now}) as sessions from users u`;
}

/** The users of an organisation, or of all organisations where it is null, oldest first. */
export async function listUsers(executor: Executor, organisationId: string | null, now: Date): Promise<readonly ListedUser[]> {
  const ofOrganisation = organisationId === null ? sql`` : sql`where organisation_id = ${organisationId}`;
  const { rows } = await executor.query<ListedUser>(sql`${listedUsers(now)} ${ofOrganisation} order by organisation_id, created_at, id`);
  return rows;
}

/** A page of an organisation's users, in the order of creation, without erased ones. */
export async function listUserPage(
  executor: Executor,
  page: { readonly organisationId: string; readonly after: CreationPlace | null; readonly count: number; readonly now: Date },
): Promise<readonly ListedUser[]> {
  const { organisationId, after, count, now } = page;
  const isLater = after === null ? sql`` : sql` and (created_at, id) > (${after.createdAt}, ${after.id})`;
  const { rows } = await executor.query<ListedUser>(
    prepared(sql`${listedUsers(now)}
      where organisation_id = ${organisationId} and status <> 'erased'${isLater} order by created_at, id limit ${count}`),
  );
  return rows;
}

/** The number of active administrators of an organisation, without this one. */
export async function countOtherAdministrators(executor: Executor, organisationId: string, id: string): Promise<number> {
  const { rows } = await executor.query<{ count: number }>({
    name: 'count-administrators',
    text: `select count(*)::integer as count from users
            where organisation_id = $1 and id <> $2 and status = 'active' and role = 'administrator'`,
    values: [organisationId, id],
  });
  return rows[0]!.count;
}
