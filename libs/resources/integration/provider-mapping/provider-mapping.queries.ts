import { allOf, prepared, raw, sql } from '#database/sql.js';
import type { CreationPlace } from '#http/pages.js';
import type { Executor } from '#projections/projection.js';
import type { MappedResource, MappingTerms, ResourceType } from './provider-mapping.decider.js';

/** A row of `provider_mappings`. */
export interface ProviderMappingRow extends MappedResource, Omit<MappingTerms, 'last_synced_at'> {
  readonly id: string;
  readonly last_synced_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Where a page of mappings begins; it runs in the order of creation. */
export interface ProviderMappingPage {
  readonly organisationId: string;
  /** Null for the mappings of all providers. */
  readonly providerName: string | null;
  /** Mappings of other kinds of resource are left out. */
  readonly resourceTypes: readonly ResourceType[];
  /** The last row of the page before. */
  readonly after: CreationPlace | null;
  /** Rows to fetch. */
  readonly count: number;
}

const COLUMNS = 'id, provider_name, resource_type, resource_id, external_id, status, last_synced_at, created_at, updated_at';

/** For queries whose first value is the organisation. */
const EXISTS = 'organisation_id = $1 and removed_at is null';

/** A page of mappings. */
export async function listProviderMappings(executor: Executor, page: ProviderMappingPage): Promise<readonly ProviderMappingRow[]> {
  const { organisationId, resourceTypes, providerName, after, count } = page;
  const conditions = [sql`organisation_id = ${organisationId} and removed_at is null`, sql`resource_type = any(${resourceTypes}::text[])`];
  if (providerName !== null) conditions.push(sql`provider_name = ${providerName}`);
  if (after !== null) conditions.push(sql`(created_at, id) > (${after.createdAt}, ${after.id})`);
  const { rows } = await executor.query<ProviderMappingRow>(
    prepared(sql`select ${raw(COLUMNS)} from provider_mappings where ${allOf(conditions)} order by created_at, id limit ${count}`),
  );
  return rows;
}

/** The mapping; null where this organisation has none with this id, or it was removed. */
export async function findProviderMapping(
  executor: Executor,
  organisationId: string,
  mappingId: string,
): Promise<ProviderMappingRow | null> {
  const { rows } = await executor.query<ProviderMappingRow>(`select ${COLUMNS} from provider_mappings where ${EXISTS} and id = $2`, [
    organisationId,
    mappingId,
  ]);
  return rows[0] ?? null;
}
