import type { Scope } from '#kernel/scopes.js';

/**
 * The scope that a caller needs, besides that of the log itself, for the values in events of each category;
 * null for values that the log never contains, because they are secret, internal, or have a better
 * representation elsewhere. Values of other categories are not included either. Values of custom fields may
 * be personal or payroll data.
 */
export const SCOPES_OF_VALUES: Readonly<Record<string, readonly Scope[] | null>> = {
  organisation: ['organisation:read'],
  location: ['organisation:read'],
  'org-unit': ['org_units:read'],
  'work-place': ['reference:read'],
  'work-type': ['reference:read'],
  'document-type': ['reference:read'],
  'working-pattern': ['working_patterns:read'],
  'time-off-category': ['reference:read'],
  'time-off-settings': ['time_off:read'],
  'public-holidays': ['time_off:read'],
  'time-off': ['time_off:read'],
  'time-off-balance': ['time_off:read'],
  'custom-field': ['custom_fields:read'],
  'person-custom-fields': ['custom_fields:read', 'people:personal:read', 'payroll_exports:read'],
  person: ['people:read'],
  employment: ['people:read'],
  'employment-effect': ['people:read'],
  'personal-profile': ['people:personal:read'],
  avatar: ['people:avatar:read'],
  document: ['documents:read'],
  'payroll-markers': ['payroll_exports:read'],
  'provider-mapping': ['provider_mappings:read'],
  webhook: ['webhooks:manage'],
  'api-key': ['access:manage'],
  user: ['access:manage'],
  'mcp-policy': ['access:manage'],
  'import-columns': ['imports:manage'],
  sandbox: null,
  'sandbox-event': null,
  'write-proposal': null,
};

/** A category of streams in the API. */
export function resourceTypeOf(category: string): string {
  return category.replaceAll('-', '_');
}

/** The category of a name in the API. */
export function categoryOfType(resourceType: string): string {
  return resourceType.replaceAll('_', '-');
}

/** Whether a caller with these scopes may read the values of events of a category. */
export function showsValues(category: string, granted: ReadonlySet<Scope>): boolean {
  const needed = SCOPES_OF_VALUES[category] ?? null;
  return needed !== null && needed.every((scope) => granted.has(scope));
}
