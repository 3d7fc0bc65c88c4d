import { defineResource } from '../../resource.js';
import { IntegrationReadinessController } from './integration-readiness.controller.js';

/** What an integration of a kind still lacks. */
export const integrationReadinessResource = defineResource({ area: 'integration', controllers: [IntegrationReadinessController] });
