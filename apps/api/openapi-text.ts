import { openApiDocument } from '#http/openapi/document.js';
import { RESOURCE_MODULES } from '#resources/modules.js';
import { apiRoutes } from './listener.js';

/** The OpenAPI document of the whole API, as `docs/reference/openapi.json` keeps it. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(apiRoutes(RESOURCE_MODULES)), null, 2)}\n`;
}
