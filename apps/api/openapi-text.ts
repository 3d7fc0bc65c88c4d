import { openApiDocument } from './openapi/document.js';
import { SANDBOX_MODULES } from '#composition/modules.js';
import { apiRoutes } from './listener.js';

/**
 * The OpenAPI document of the whole API, including the sandbox's own route. The build writes it to
 * `dist/openapi.json`.
 */
export function openApiText(): string {
  return `${JSON.stringify(openApiDocument(apiRoutes(SANDBOX_MODULES)), null, 2)}\n`;
}
