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
  readonly created_at: Date;
}

const COLUMNS = 'id, organisation_id, email, role, status, issuer, created_at';

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

/** The users of an organisation, or of all organisations where it is null, oldest first. */
export async function listUsers(executor: Executor, organisationId: string | null, now: Date): Promise<readonly ListedUser[]> {
  const { rows } = await executor.query<ListedUser>({
    text: `select ${COLUMNS},
                  (select count(*)::integer from user_sessions s
                    where s.organisation_id = u.organisation_id and s.user_id = u.id and s.idle_until > $2 and s.expires_at > $2) as sessions
             from users u where $1::text is null or organisation_id = $1 order by organisation_id, created_at, id`,
    values: [organisationId, now],
  });
  return rows;
}
