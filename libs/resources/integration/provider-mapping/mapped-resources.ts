import type { Scope } from '#kernel/scopes.js';
import type { Executor } from '#projections/projection.js';
import { RESOURCE_TYPES, type ResourceType } from './provider-mapping.decider.js';

/** The properties of a kind of resource that may be mapped. */
interface MappedKind {
  /** The scope that a key needs in addition to provider_mappings:read to see its mappings (contract part 4). */
  readonly scope: Scope;
  readonly word: string;
  /**
   * SQL that selects the resource with the id `$2` of the organisation `$1`: its `person_id` where it belongs to a person, `is_removed`
   * where it can be removed.
   */
  readonly find: string;
}

const inTable = (table: string, columns = ''): string => `select ${columns} from ${table} where organisation_id = $1 and id = $2`;

const KINDS: Readonly<Record<ResourceType, MappedKind>> = {
  person: {
    scope: 'people:read',
    word: 'person',
    find: 'select person_id from people where organisation_id = $1 and person_id = $2 and identity_revision is not null',
  },
  org_unit: { scope: 'org_units:read', word: 'org unit', find: inTable('org_units') },
  location: { scope: 'organisation:read', word: 'location', find: inTable('locations') },
  work_place: { scope: 'reference:read', word: 'work place', find: inTable('work_places') },
  work_type: { scope: 'reference:read', word: 'work type', find: inTable('work_types') },
  working_pattern: { scope: 'working_patterns:read', word: 'working pattern', find: inTable('working_patterns') },
  time_off: { scope: 'time_off:read', word: 'time-off record', find: inTable('time_off', 'person_id') },
  time_off_category: { scope: 'reference:read', word: 'time-off category', find: inTable('time_off_categories') },
  document: { scope: 'documents:read', word: 'document', find: inTable('documents', 'person_id, removed_at is not null as is_removed') },
  document_type: { scope: 'reference:read', word: 'document type', find: inTable('document_types') },
};

/** The kinds of resource whose mappings a key with these scopes may see, in a fixed order. */
export function readableTypes(scopes: ReadonlySet<Scope>): readonly ResourceType[] {
  return RESOURCE_TYPES.filter((type) => scopes.has(KINDS[type].scope));
}

/** The name of a kind of resource in messages. */
export function wordOf(type: ResourceType): string {
  return KINDS[type].word;
}

/** A resource that may be mapped. */
export interface FoundResource {
  /** The person that it is or belongs to; null where it belongs to no person. */
  readonly personId: string | null;
  /** Whether it was removed: no response shows it, but its mappings may still be changed. */
  readonly isRemoved: boolean;
}

/** The resource, even if archived or removed; null where the organisation has none with this id. */
export async function findMappedResource(
  executor: Executor,
  organisationId: string,
  type: ResourceType,
  id: string,
): Promise<FoundResource | null> {
  const { rows } = await executor.query<{ person_id?: string; is_removed?: boolean }>({
    name: `mapped-${type}`,
    text: KINDS[type].find,
    values: [organisationId, id],
  });
  return rows[0] === undefined ? null : { personId: rows[0].person_id ?? null, isRemoved: rows[0].is_removed ?? false };
}
