import { readFileSync } from 'node:fs';
import { apiRoutes } from '#api/listener.js';
import { mcpReference } from '#mcp/reference.js';
import { RESOURCE_MODULES } from '#composition/modules.js';

it('is what node scripts/write-reference-pages.mjs writes', () => {
  expect(readFileSync('docs/reference/generated/mcp.md', 'utf8')).toBe(mcpReference(apiRoutes(RESOURCE_MODULES)));
});
