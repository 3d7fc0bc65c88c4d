import type { Scope } from './scopes.js';

/**
 * Event types in the order of contract part 6, each with the scope that its subscriber needs besides
 * webhooks:manage.
 */
export const WEBHOOK_EVENTS = {
  'webhook.test': 'webhooks:manage',
  'person.created': 'people:read',
  'person.updated': 'people:read',
  'person.ended': 'people:read',
  'person.reactivated': 'people:read',
  'time_off.created': 'time_off:read',
  'time_off.updated': 'time_off:read',
  'time_off.cancelled': 'time_off:read',
  'time_off.approved': 'time_off:read',
  'time_off.declined': 'time_off:read',
  'time_off_category.created': 'reference:read',
  'time_off_category.updated': 'reference:read',
  'time_off_category.archived': 'reference:read',
  'time_off_settings.updated': 'time_off:read',
  'org_unit.created': 'org_units:read',
  'org_unit.updated': 'org_units:read',
  'org_unit.archived': 'org_units:read',
  'org_unit.reactivated': 'org_units:read',
  'working_pattern.created': 'working_patterns:read',
  'working_pattern.updated': 'working_patterns:read',
  'working_pattern.archived': 'working_patterns:read',
} as const satisfies Record<string, Scope>;

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS;

/** Event types that endpoints can subscribe to but that the metadata do not list (contract part 6). */
const UNCATALOGUED: ReadonlySet<string> = new Set<WebhookEventType>(['time_off.approved', 'time_off.declined']);

/** The event types that the metadata list. */
export const CATALOGUED_WEBHOOK_EVENTS = (Object.keys(WEBHOOK_EVENTS) as WebhookEventType[]).filter(
  (type) => !UNCATALOGUED.has(type),
);
