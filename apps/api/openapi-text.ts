import { openApiDocument } from '#http/openapi/document.js';
import { SANDBOX_MODULES } from '#resources/modules.js';
import { apiRoutes } from './listener.js';

/** The OpenAPI document of the whole API, the sandbox's own route included, as `docs/reference/openapi.json` keeps it. */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(apiRoutes(SANDBOX_MODULES)), null, 2)}\n`;
}
