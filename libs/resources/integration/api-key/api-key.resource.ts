import { API_KEYS_SCHEMA } from './api-key.schema.js';
import { defineResource } from '../../resource.js';
import { apiKeyAggregate } from './api-key.decider.js';
import { apiKeyProjection } from './api-key.projection.js';

/** API keys. Operators create and revoke them on the command line. */
export const apiKeyResource = defineResource({
  area: 'integration',
  aggregates: [apiKeyAggregate],
  projections: [apiKeyProjection],
  schema: API_KEYS_SCHEMA,
});
