/** `node scripts/write-mcp-reference.mjs`, after a build: writes docs/reference/mcp.md from the declarations of the operations. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiRoutes } from '../dist/apps/api/listener.js';
import { mcpReference } from '../dist/libs/mcp/reference.js';
import { RESOURCE_MODULES } from '../dist/libs/resources/modules.js';

writeFileSync(join(import.meta.dirname, '..', 'docs', 'reference', 'mcp.md'), mcpReference(apiRoutes(RESOURCE_MODULES)));
