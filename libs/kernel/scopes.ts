/** Every scope of contract part 5, in its order. */
export const SCOPES = [
  'organisation:read',
  'people:read',
  'people:personal:read',
  'people:avatar:read',
  'people:write',
  'custom_fields:read',
  'custom_fields:write',
  'reference:read',
  'org_units:read',
  'org_units:write',
  'working_patterns:read',
  'working_patterns:write',
  'time_off:read',
  'time_off:write',
  'time_off:balance:write',
  'time_off:config:write',
  'documents:read',
  'provider_mappings:read',
  'payroll_exports:read',
  'webhooks:manage',
  'mcp:write',
] as const;

export type Scope = (typeof SCOPES)[number];
