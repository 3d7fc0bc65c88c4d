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

/**
 * Scopes of routes that this service adds to the contract's: granted by name only, and not part of `all` (ADR
 * 82).
 */
export const EXTENSION_SCOPES = [
  'requests:read',
  'access:manage',
  'imports:manage',
  'audit:read',
  'time_off:decisions:read',
] as const;

/** Every scope, those of the contract first. */
export const SCOPES = [...CONTRACT_SCOPES, ...EXTENSION_SCOPES] as const;

export type Scope = (typeof SCOPES)[number];
export type ExtensionScope = (typeof EXTENSION_SCOPES)[number];

/** Whether a scope is an extension of this service, and not one of the contract. */
export function isExtensionScope(scope: Scope): scope is ExtensionScope {
  return (EXTENSION_SCOPES as readonly Scope[]).includes(scope);
}

/**
 * The scope of a route: one of the contract, or an extension. Both are null for a route that any key may
 * call.
 */
export function scopesNeeded(scope: Scope | null): {
  readonly contract: Scope | null;
  readonly extension: ExtensionScope | null;
} {
  return scope !== null && isExtensionScope(scope)
    ? { contract: null, extension: scope }
    : { contract: scope, extension: null };
}
