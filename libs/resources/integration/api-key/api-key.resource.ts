import { API_KEYS_SCHEMA, MAKERS_MIGRATION } from './api-key.schema.js';
import { defineResource } from '../../resource.js';
import { API_KEY_CONTROLLERS } from './api-key.api.js';
import { API_KEY_HANDLERS } from './api-key.handlers.js';
import { apiKeyAggregate } from './api-key.decider.js';
import { apiKeyProjection } from './api-key.projection.js';

/** API keys. Operators create and revoke them on the command line, administrators over the API. */
export const apiKeyResource = defineResource({
  area: 'integration',
  aggregates: [apiKeyAggregate],
  projections: [apiKeyProjection],
  schema: API_KEYS_SCHEMA,
  migrations: [MAKERS_MIGRATION],
  controllers: API_KEY_CONTROLLERS,
  handlers: API_KEY_HANDLERS,
});
