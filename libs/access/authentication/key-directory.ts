import type { Pool } from 'pg';
import type { AuthenticatedKey, KeyOrganisation } from '#http/keys/authenticated-key.js';
import { SANDBOX_TENANT_PREFIX } from '#identifiers/sandbox-tenant.js';
import { isRole, type Role, SCOPES_OF_ROLE } from '#kernel/roles.js';
import type { Scope } from '#kernel/scopes.js';
import type { Plan } from '#kernel/tenancy.js';
import { idleUntil } from './sessions.js';

/** The result of a look-up, with the authorisation version at that time. */
export interface FoundKey {
  /** Null where no key exists or it was revoked. The caller checks the expiry. */
  readonly key: AuthenticatedKey | null;
  readonly version: string;
}

/** The directory in which keys are looked up. */
export interface KeyDirectory {
  findByHash(hash: Buffer): Promise<FoundKey>;
  /**
   * Finds the session of an active user by the hash of its token. The caller checks whether it has expired.
   */
  findSession(hash: Buffer): Promise<FoundKey>;
  /**
   * Extends a session that is in use. Returns its new end in milliseconds since 1970; null if it has
   * ended.
   */
  extendSession(hash: Buffer, now: Date): Promise<number | null>;
  /** Changes with every change of a key, an organisation or a user, and when a session ends. */
  currentVersion(): Promise<string>;
}

interface KeyRow {
  readonly version: string;
  readonly key_id: string | null;
  readonly environment: 'live' | 'sandbox';
  readonly scopes: readonly Scope[];
  readonly expires_at: Date | null;
  readonly owner_id: string;
  readonly organisation_id: string | null;
  readonly plan: Plan;
  readonly writes_approved: boolean;
  readonly time_zone: string;
  readonly direct_operations: readonly { readonly operation: string }[] | null;
}

/**
 * A sandbox key acts for the tenant of its owner's sandbox. If its owner has none, it acts for the synthetic
 * organisation that older releases shared among all owners (docs/reference/sandbox.md). It never acts for its
 * owner. The same snapshot returns the version.
 */
const find = (condition: string): string => `
select v.version::text as version, k.key_id, k.environment, k.scopes, k.expires_at, k.organisation_id as owner_id,
       o.id as organisation_id, o.plan, o.writes_approved, o.time_zone, p.direct_operations
from authorisation_version v
left join api_keys k on ${condition} = $1 and k.revoked_at is null
left join sandboxes s on s.organisation_id = k.organisation_id and k.environment = 'sandbox'
left join lateral (
  select id, plan, writes_approved, time_zone from organisations
  where case when k.environment <> 'sandbox' then id = k.organisation_id
             when s.tenant_id is not null then id = s.tenant_id
             else is_sandbox and not starts_with(id, '${SANDBOX_TENANT_PREFIX}') end
  order by id limit 1
) o on k.key_id is not null
left join mcp_policies p on p.organisation_id = o.id`;

const FIND = find('k.secret_hash');
const FIND_BY_ID = find('k.key_id');

interface SessionRow extends Omit<KeyRow, 'key_id' | 'scopes' | 'environment' | 'owner_id'> {
  readonly user_id: string | null;
  readonly role: Role;
  readonly person_id: string | null;
  readonly idle_until: Date;
  readonly expires_at: Date;
}

const FIND_SESSION = `
select v.version::text as version, u.id as user_id, u.role, u.person_id, s.idle_until, s.expires_at,
       o.id as organisation_id, o.plan, o.writes_approved, o.time_zone, p.direct_operations
from authorisation_version v
left join user_sessions s on s.token_hash = $1
left join users u on u.organisation_id = s.organisation_id and u.id = s.user_id and u.status = 'active'
left join organisations o on o.id = u.organisation_id
left join mcp_policies p on p.organisation_id = o.id`;

const EXTEND_SESSION = `
update user_sessions set idle_until = $2 where token_hash = $1 and idle_until > $3 and expires_at > $3 returning idle_until`;

/** Reads keys and sessions from tables whose changes increment `authorisation_version`. */
export class PostgresKeyDirectory implements KeyDirectory {
  constructor(private readonly pool: Pool) {}

  async findByHash(hash: Buffer): Promise<FoundKey> {
    const { rows } = await this.pool.query<KeyRow>({ name: 'http-find-key', text: FIND, values: [hash] });
    const row = rows[0];
    if (row === undefined) throw new Error('authorisation_version has no row: the migrations have not been applied');
    return { key: toKey(row), version: row.version };
  }

  /** Returns the key with this id; null if none exists or it was revoked. The caller checks the expiry. */
  async findById(keyId: string): Promise<AuthenticatedKey | null> {
    const { rows } = await this.pool.query<KeyRow>({ name: 'http-find-key-by-id', text: FIND_BY_ID, values: [keyId] });
    return rows[0] === undefined ? null : toKey(rows[0]);
  }

  async findSession(hash: Buffer): Promise<FoundKey> {
    const { rows } = await this.pool.query<SessionRow>({
      name: 'http-find-session',
      text: FIND_SESSION,
      values: [hash],
    });
    const row = rows[0];
    if (row === undefined) throw new Error('authorisation_version has no row: the migrations have not been applied');
    return { key: toSession(row), version: row.version };
  }

  async extendSession(hash: Buffer, now: Date): Promise<number | null> {
    const values = [hash, idleUntil(now), now];
    const { rows } = await this.pool.query<{ idle_until: Date }>({
      name: 'http-extend-session',
      text: EXTEND_SESSION,
      values,
    });
    return rows[0]?.idle_until.getTime() ?? null;
  }

  async currentVersion(): Promise<string> {
    const text = 'select version::text as version from authorisation_version';
    const { rows } = await this.pool.query<{ version: string }>({ name: 'http-authorisation-version', text });
    if (rows[0] === undefined)
      throw new Error('authorisation_version has no row: the migrations have not been applied');
    return rows[0].version;
  }
}

function toKey(row: KeyRow): AuthenticatedKey | null {
  if (row.key_id === null || row.organisation_id === null) return null;
  return {
    keyId: row.key_id,
    actor: { type: 'api_key', id: row.key_id },
    session: null,
    environment: row.environment,
    scopes: new Set(row.scopes),
    organisation: toOrganisation(row, row.organisation_id),
    ownerOrganisationId: row.owner_id,
    expiresAt: row.expires_at?.getTime() ?? null,
  };
}

function toSession(row: SessionRow): AuthenticatedKey | null {
  if (row.user_id === null || row.organisation_id === null) return null;
  return {
    keyId: row.user_id,
    actor: { type: 'user', id: row.user_id },
    session: { role: row.role, personId: row.person_id, idleUntil: row.idle_until.getTime() },
    environment: 'live',
    // A role of a newer release grants nothing here.
    scopes: new Set(isRole(row.role) ? SCOPES_OF_ROLE[row.role] : []),
    organisation: toOrganisation(row, row.organisation_id),
    ownerOrganisationId: row.organisation_id,
    expiresAt: row.expires_at.getTime(),
  };
}

function toOrganisation(
  row: Pick<KeyRow, 'plan' | 'writes_approved' | 'time_zone' | 'direct_operations'>,
  id: string,
): KeyOrganisation {
  return {
    id,
    plan: row.plan,
    writesApproved: row.writes_approved,
    timeZone: row.time_zone,
    directOperations: new Set(row.direct_operations?.map(({ operation }) => operation)),
  };
}
