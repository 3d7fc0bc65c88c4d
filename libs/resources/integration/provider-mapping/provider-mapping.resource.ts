import { PROVIDER_MAPPINGS_SCHEMA } from './provider-mapping.schema.js';
import { defineResource } from '../../resource.js';
import { personErased } from '../../people/erasure/erasure-policy.js';
import { removeMappingsOfPerson } from './mappings-of-person.js';
import { ProviderMappingController } from './provider-mapping.controller.js';
import { providerMappingAggregate } from './provider-mapping.decider.js';
import { PROVIDER_MAPPING_COMMAND_HANDLERS } from './provider-mapping.handlers.js';
import { providerMappingProjection } from './provider-mapping.projection.js';

/** The ids that providers use for the resources of an organisation. */
export const providerMappingResource = defineResource({
  area: 'integration',
  aggregates: [providerMappingAggregate],
  projections: [providerMappingProjection],
  schema: PROVIDER_MAPPINGS_SCHEMA,
  policies: [personErased.policy(removeMappingsOfPerson)],
  controllers: [ProviderMappingController],
  handlers: PROVIDER_MAPPING_COMMAND_HANDLERS,
});
