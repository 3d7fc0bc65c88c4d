import { isRole, SCOPES_OF_ROLE } from '#kernel/roles.js';
import type { Scope } from '#kernel/scopes.js';
import type { Executor } from '#projections/projection.js';

/** A key or a user of an organisation, with their scopes. */
export interface Holder {
  readonly type: 'api_key' | 'user';
  readonly id: string;
  readonly scopes: readonly Scope[];
  /** Null for a user, and for a key that does not expire. */
  readonly expiresAt: Date | null;
  /** False for a key that was revoked, and for a user who may not sign in. */
  readonly isActive: boolean;
}

interface ChainRow {
  readonly type: 'api_key' | 'user';
  readonly id: string;
  readonly scopes: readonly Scope[] | null;
  readonly expires_at: Date | null;
  readonly role: string | null;
  readonly is_active: boolean;
}

const MAX_CHAIN_LENGTH = 1_000;

const CHAIN = `
with recursive chain as (
  select 0 as step, $2::text as type, $3::text as id
  union all
  select c.step + 1, coalesce(k.made_by_type, u.made_by_type), coalesce(k.made_by_id, u.made_by_id)
    from chain c
    left join api_keys k on c.type = 'api_key' and k.organisation_id = $1 and k.key_id = c.id
    left join users u on c.type = 'user' and u.organisation_id = $1 and u.id = c.id
   where c.type in ('api_key', 'user') and c.step < ${MAX_CHAIN_LENGTH}
)
select c.type, c.id, k.scopes, k.expires_at, u.role, coalesce(k.revoked_at is null and k.key_id is not null
  or u.status = 'active', false) as is_active
  from chain c
  left join api_keys k on c.type = 'api_key' and k.organisation_id = $1 and k.key_id = c.id
  left join users u on c.type = 'user' and u.organisation_id = $1 and u.id = c.id
 where c.type in ('api_key', 'user')
 order by c.step`;

/**
 * Returns a key or a user, its creator, the creator of that one, and so on. The chain ends before the
 * operator or the system that created the last of them.
 * @param organisationId - the owner of the keys and users, also for a key of its sandbox
 */
export async function creatorChainOf(
  executor: Executor,
  organisationId: string,
  { type, id }: { readonly type: string; readonly id: string },
): Promise<readonly Holder[]> {
  const { rows } = await executor.query<ChainRow>({
    name: 'chain-of-makers',
    text: CHAIN,
    values: [organisationId, type, id],
  });
  return rows.map((row) => ({
    type: row.type,
    id: row.id,
    scopes: row.scopes ?? (row.role !== null && isRole(row.role) ? SCOPES_OF_ROLE[row.role] : []),
    expiresAt: row.expires_at,
    isActive: row.is_active,
  }));
}

/** The actors behind a key or a user: a key with its chain of creators, up to the first user. */
export function actingIn(chain: readonly Holder[]): readonly Holder[] {
  const user = chain.findIndex(({ type }) => type === 'user');
  return user === -1 ? chain : chain.slice(0, user + 1);
}

/**
 * Whether the approver created the proposer, was created by it, or acts for the same user or key, through
 * any number of steps. A user whom the proposer's creator has invited is another person, and is not related.
 */
export function isRelatedToProposer(proposer: readonly Holder[], decider: readonly Holder[]): boolean {
  return isAmong(actingIn(decider), proposer) || isAmong(proposer.slice(0, 1), decider);
}

function isAmong(some: readonly Holder[], all: readonly Holder[]): boolean {
  return some.some(({ type, id }) => all.some((holder) => holder.type === type && holder.id === id));
}
