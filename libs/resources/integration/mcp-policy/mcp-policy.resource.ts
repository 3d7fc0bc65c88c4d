import { defineResource } from '../../resource.js';
import { ChangeMcpPolicyHandler } from './mcp-policy.handlers.js';
import { MCP_POLICIES_MIGRATION, mcpPolicyTable } from './mcp-policy.table.js';

/** What organisations let AI clients do without asking a person. */
export const mcpPolicyResource = defineResource({
  area: 'integration',
  tables: [mcpPolicyTable],
  migrations: [MCP_POLICIES_MIGRATION],
  handlers: [ChangeMcpPolicyHandler],
});
