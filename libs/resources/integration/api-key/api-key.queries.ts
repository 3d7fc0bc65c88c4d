import { prepared, raw, sql } from '#database/sql.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import type { CreationPlace } from '#http/pages.js';
import type { Scope } from '#kernel/scopes.js';
import type { Executor } from '#projections/projection.js';

/** A row of `api_keys`, without the hash of the secret. */
export interface ApiKeyRow {
  readonly key_id: string;
  readonly organisation_id: string;
  readonly environment: KeyEnvironment;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly prefix: string;
  readonly last_four: string;
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  readonly created_at: Date;
  /** Who made the key; null in a row that a program of before wrote. */
  readonly made_by_type: 'api_key' | 'user' | 'operator' | 'system' | null;
  /** Id of the key or the user, or the login name of the operator. */
  readonly made_by_id: string | null;
  /** The name of the key or the address of the user; null for others. */
  readonly made_by_name: string | null;
}

const COLUMNS = `key_id, organisation_id, environment, name, scopes, prefix, last_four, expires_at, revoked_at, created_at, made_by_type, made_by_id,
  case made_by_type
    when 'api_key' then (select m.name from api_keys m where m.organisation_id = k.organisation_id and m.key_id = k.made_by_id)
    when 'user' then (select u.email from users u where u.organisation_id = k.organisation_id and u.id = k.made_by_id)
  end as made_by_name`;

/** The key with this id, of any organisation; null where there is none. */
export async function findApiKey(executor: Executor, keyId: string): Promise<ApiKeyRow | null> {
  const { rows } = await executor.query<ApiKeyRow>({ text: `select ${COLUMNS} from api_keys k where key_id = $1`, values: [keyId] });
  return rows[0] ?? null;
}

/** The keys of an organisation, or of all organisations where it is null, oldest first, revoked and expired ones included. */
export async function listApiKeys(executor: Executor, organisationId: string | null): Promise<readonly ApiKeyRow[]> {
  const { rows } = await executor.query<ApiKeyRow>({
    text: `select ${COLUMNS} from api_keys k where $1::text is null or organisation_id = $1 order by organisation_id, created_at, key_id`,
    values: [organisationId],
  });
  return rows;
}

/** A page of an organisation's keys, in the order of creation, revoked and expired ones included. */
export async function listApiKeyPage(
  executor: Executor,
  { organisationId, after, count }: { readonly organisationId: string; readonly after: CreationPlace | null; readonly count: number },
): Promise<readonly ApiKeyRow[]> {
  const isLater = after === null ? sql`` : sql` and (created_at, key_id) > (${after.createdAt}, ${after.id})`;
  const { rows } = await executor.query<ApiKeyRow>(
    prepared(
      sql`select ${raw(COLUMNS)} from api_keys k where organisation_id = ${organisationId}${isLater} order by created_at, key_id limit ${count}`,
    ),
  );
  return rows;
}

/**
 * The keys of an organisation that a key or a user made, those that these made, and so on, revoked and expired ones included, oldest first.
 *
 * @param except a key that is left out, with those that it made
 */
export async function listKeysMadeBy(
  executor: Executor,
  organisationId: string,
  { type, id }: { readonly type: 'api_key' | 'user'; readonly id: string },
  except: string | null = null,
): Promise<readonly ApiKeyRow[]> {
  const { rows } = await executor.query<ApiKeyRow>({
    text: `with recursive made as (
             select key_id from api_keys
              where organisation_id = $1 and made_by_type = $2 and made_by_id = $3 and key_id is distinct from $4
             union
             select k.key_id from made m
               join api_keys k on k.organisation_id = $1 and k.made_by_type = 'api_key' and k.made_by_id = m.key_id and k.key_id is distinct from $4)
           select ${COLUMNS} from api_keys k where key_id in (select key_id from made) order by created_at, key_id`,
    values: [organisationId, type, id, except],
  });
  return rows;
}
