import { defineResource } from '../../resource.js';
import { IntegrationReadinessController } from './integration-readiness.controller.js';

/** Reports what integrations still lack. */
export const integrationReadinessResource = defineResource({ area: 'integration', controllers: [IntegrationReadinessController] });
