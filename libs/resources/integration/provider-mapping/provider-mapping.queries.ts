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
  const values: unknown[] = [page.organisationId, page.count, page.resourceTypes];
  const conditions = [EXISTS, 'resource_type = any($3::text[])'];
  if (page.providerName !== null) conditions.push(`provider_name = $${values.push(page.providerName)}`);
  if (page.after !== null) conditions.push(`(created_at, id) > ($${values.push(page.after.createdAt)}, $${values.push(page.after.id)})`);
  const { rows } = await executor.query<ProviderMappingRow>({
    name: `list-provider-mappings-${[page.providerName !== null, page.after !== null].join('-')}`,
    text: `select ${COLUMNS} from provider_mappings where ${conditions.join(' and ')} order by created_at, id limit $2`,
    values,
  });
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
