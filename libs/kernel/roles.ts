import { SCOPES, type Scope } from './scopes.js';

/** The roles of users, in ascending order of scopes. */
export const ROLES = ['employee', 'manager', 'viewer', 'hr', 'auditor', 'integrator', 'administrator'] as const;

export type Role = (typeof ROLES)[number];

/**
 * The roles whose users see people by relation only: themselves, and a manager also those who report to them.
 * They may call only operations that declare how they treat people (`people` of an operation).
 */
export const ROLES_BY_RELATION = ['employee', 'manager'] as const satisfies readonly Role[];

export type RoleByRelation = (typeof ROLES_BY_RELATION)[number];

/** Whether a role sees people by relation only. */
export function isByRelation(role: Role): role is RoleByRelation {
  return (ROLES_BY_RELATION as readonly Role[]).includes(role);
}

/**
 * The scopes of colleagues: no personal data beyond work, and no custom fields, which an organisation may use
 * for anything.
 */
const VIEWER: readonly Scope[] = [
  'organisation:read',
  'people:read',
  'people:avatar:read',
  'reference:read',
  'org_units:read',
  'working_patterns:read',
  'time_off:read',
];

/** The scopes with which people read about themselves and, as managers, about their reports. */
const BY_RELATION: readonly Scope[] = [
  'organisation:read',
  'people:read',
  'people:personal:read',
  'reference:read',
  'org_units:read',
  'time_off:read',
  'time_off:write',
];

const READS: readonly Scope[] = SCOPES.filter((scope) => scope.endsWith(':read'));

/**
 * Scopes for connections to other systems, for AI clients, for access and for audits, which HR work does not
 * need.
 */
const NOT_FOR_HR: ReadonlySet<Scope> = new Set([
  'provider_mappings:read',
  'webhooks:manage',
  'mcp:write',
  'requests:read',
  'access:manage',
  'audit:read',
]);

/** The scopes of each role: a user may do exactly what an API key with these scopes may do. */
export const SCOPES_OF_ROLE: Readonly<Record<Role, readonly Scope[]>> = {
  employee: BY_RELATION,
  manager: BY_RELATION,
  viewer: VIEWER,
  hr: SCOPES.filter((scope) => !NOT_FOR_HR.has(scope)),
  auditor: READS,
  integrator: [
    ...VIEWER.filter((scope) => scope !== 'people:avatar:read'),
    'custom_fields:read',
    'provider_mappings:read',
    'payroll_exports:read',
    'webhooks:manage',
    'requests:read',
  ],
  administrator: SCOPES,
};

/** Whether a text is a role. */
export function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text);
}
