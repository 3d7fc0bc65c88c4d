import { oneRowProjection } from '#projections/one-row-table.js';
import { ERASED } from '#kernel/erasure.js';
import { openMappingEvent, ownerOfStream } from './mapping-seal.js';
import { providerMappingAggregate } from './provider-mapping.decider.js';

/** Takes the external id for the mapping, where the command that did so left no row, and gives back the ones that it had before. */
const EXTERNAL_IDS = `
taken as (
  insert into provider_external_ids (organisation_id, provider_name, resource_type, external_id, mapping_id)
  select i.organisation_id, i.provider_name, i.resource_type, i.external_id, i.id
    from input i join head using (organisation_id, id)
   where i.removed_at is null and i.external_id <> '${ERASED}'
   order by 1, 2, 3, 4
  on conflict do nothing
),
released as (
  delete from provider_external_ids r using input i join head using (organisation_id, id)
   where r.organisation_id = i.organisation_id and r.mapping_id = i.id and (r.external_id <> i.external_id or i.removed_at is not null)
)`;

/** Provider mappings; removed ones are included, but without their external id. */
export const providerMappingProjection = oneRowProjection(providerMappingAggregate, {
  table: 'provider_mappings',
  columns: ['provider_name', 'resource_type', 'resource_id', 'external_id', 'status', 'last_synced_at', 'removed_at'],
  besideLive: EXTERNAL_IDS,
  sealed: { personOf: ownerOfStream, open: openMappingEvent },
  row: (state, stream) => {
    if (state.status === 'removed') return { ...state.mapping, external_id: '', removed_at: stream.at(-1)!.recordedAt };
    return { ...state.mapping, removed_at: null };
  },
});
