/** Every scope of contract part 5, in its order. */
export const CONTRACT_SCOPES = [
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

/** Scopes of routes that this service adds to the contract's (ADR 82). */
export const OWN_SCOPES = ['requests:read', 'access:manage', 'imports:manage', 'audit:read', 'time_off:decisions:read'] as const;

/** Every scope, those of the contract first. */
export const SCOPES = [...CONTRACT_SCOPES, ...OWN_SCOPES] as const;

export type Scope = (typeof SCOPES)[number];
