import { DateTimeField, EnumField, IdField, TextField } from '#http/fields.js';
import { PageQuery } from '#http/pages.js';
import { MAPPING_STATUSES, type MappingStatus, RESOURCE_TYPES, type ResourceType } from './provider-mapping.decider.js';

/** A provider's external id of a resource, and the state of their exchange. */
export class ProviderMappingResponse {
  @IdField('providerMapping')
  readonly id!: string;
  @TextField({ maximumLength: 64, description: 'In lower case.', example: 'xero' })
  readonly provider_name!: string;
  @EnumField(RESOURCE_TYPES)
  readonly resource_type!: ResourceType;
  @TextField({ description: 'The id that responses show for such resources.', example: '7k2m9qx4hz1c' })
  readonly resource_id!: string;
  @TextField({ description: "The provider's id of the resource.", example: 'EMP-00417' })
  readonly external_id!: string;
  @EnumField(MAPPING_STATUSES, { description: 'pending: not exchanged yet; error: the last time failed; disabled: not exchanged.' })
  readonly status!: MappingStatus;
  @DateTimeField({ nullable: true, description: 'Null before the first time.' })
  readonly last_synced_at!: string | null;
  @DateTimeField()
  readonly created_at!: string;
  @DateTimeField()
  readonly updated_at!: string;
}

export class ProviderMappingsQuery extends PageQuery {
  @TextField({
    minimumLength: 1,
    maximumLength: 64,
    optional: true,
    description: 'Only mappings of this provider, whatever the case of its name.',
    example: 'xero',
  })
  readonly provider_name?: string;
}
