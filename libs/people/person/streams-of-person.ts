import type { Executor } from '#projections/projection.js';

/** The categories of streams whose entity is a person. */
export const STREAMS_OF_PEOPLE: ReadonlySet<string> = new Set([
  'person',
  'employment',
  'employment-effect',
  'personal-profile',
  'avatar',
  'person-custom-fields',
  'time-off',
  'time-off-balance',
  'payroll-markers',
]);

/**
 * All streams about a person: their own, those of their documents and of the provider mappings of both, and
 * proposals about them.
 */
export async function streamsOfPerson(
  executor: Executor,
  organisationId: string,
  personId: string,
): Promise<readonly string[]> {
  const { rows } = await executor.query<{ category: string; id: string }>(
    `with owned as (
       select 'person' as resource_type, $2 as id
       union all select 'document', id from documents where organisation_id = $1 and person_id = $2
       union all select 'time_off', id from time_off where organisation_id = $1 and person_id = $2
     )
     select 'document' as category, id from owned where resource_type = 'document'
     union all select 'write-proposal', id from write_proposals where organisation_id = $1 and person_id = $2
     union all select 'provider-mapping', m.id from provider_mappings m
     join owned o on o.resource_type = m.resource_type and o.id = m.resource_id where m.organisation_id = $1`,
    [organisationId, personId],
  );
  return [...[...STREAMS_OF_PEOPLE].map((category) => ({ category, id: personId })), ...rows].map(
    ({ category, id }) => `${category}-${organisationId}.${id}`,
  );
}
