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
}

const COLUMNS = `key_id, organisation_id, environment, name, scopes, prefix, last_four, expires_at, revoked_at, created_at`;

/** The key with this id, of any organisation; null where there is none. */
export async function findApiKey(executor: Executor, keyId: string): Promise<ApiKeyRow | null> {
  const { rows } = await executor.query<ApiKeyRow>({ text: `select ${COLUMNS} from api_keys where key_id = $1`, values: [keyId] });
  return rows[0] ?? null;
}

/** The keys of an organisation, or of all organisations where it is null, oldest first, revoked and expired ones included. */
export async function listApiKeys(executor: Executor, organisationId: string | null): Promise<readonly ApiKeyRow[]> {
  const { rows } = await executor.query<ApiKeyRow>({
    text: `select ${COLUMNS} from api_keys where $1::text is null or organisation_id = $1 order by organisation_id, created_at, key_id`,
    values: [organisationId],
  });
  return rows;
}

/** A page of an organisation's keys, in the order of creation, revoked and expired ones included. */
export async function listApiKeyPage(
  executor: Executor,
  { organisationId, after, count }: { readonly organisationId: string; readonly after: CreationPlace | null; readonly count: number },
): Promise<readonly ApiKeyRow[]> {
  const values: unknown[] = [organisationId, count];
  const isLater = after === null ? 'true' : `(created_at, key_id) > ($${values.push(after.createdAt)}, $${values.push(after.id)})`;
  const { rows } = await executor.query<ApiKeyRow>({
    name: after === null ? 'list-api-keys' : 'list-api-keys-after',
    text: `select ${COLUMNS} from api_keys where organisation_id = $1 and ${isLater} order by created_at, key_id limit $2`,
    values,
  });
  return rows;
}
