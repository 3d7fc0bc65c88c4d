import { readFileSync } from 'node:fs';
import { apiRoutes } from '#api/listener.js';
import { mcpReference } from '#mcp/reference.js';
import { RESOURCE_MODULES } from '#resources/modules.js';

it('is what node scripts/write-mcp-reference.mjs writes', () => {
  expect(readFileSync('docs/reference/mcp.md', 'utf8')).toBe(mcpReference(apiRoutes(RESOURCE_MODULES)));
});
