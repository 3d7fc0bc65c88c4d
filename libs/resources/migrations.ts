import { AUDIT_SCHEMA } from '#audit/audit.sql.js';
import { INSTALLATION_SCHEMA } from '#database/installation.sql.js';
import { KEY_RINGS_SCHEMA } from '#database/key-rings/key-rings.sql.js';
import type { Migration } from '#database/migrations.js';
import { APPEND_OF_ONE_EVENT, APPENDS_OF_ONE_EVENT, EVENT_STORE_SCHEMA, SETTLE_STREAM } from '#event-store/postgres/schema.sql.js';
import { IDEMPOTENCY_SCHEMA, LEANER_RECEIPTS } from '#commands/receipts/receipts.sql.js';
import { RATE_LIMIT_SCHEMA } from '#http/rate-limit/window-leases.js';
import { PROJECTION_CHECKPOINTS_SCHEMA } from '#projections/checkpoints.js';
import { PROJECTION_REBUILDS_SCHEMA } from '#projections/rebuild/rebuild-progress.js';
import { SYNC_MARKS_SCHEMA } from '#projections/upsert.js';
import {
  WEBHOOK_DELIVERIES_SCHEMA,
  WEBHOOK_DUE_BY_ENDPOINT,
  WEBHOOK_FAILED_BY_TIME,
  WEBHOOK_TRACES,
} from '#webhooks/deliver/deliveries.sql.js';
import { REFERENCE_LOCKS_SCHEMA } from '#commands/locks/reference-locks.sql.js';
import { API_KEYS_SCHEMA } from './integration/api-key/api-key.schema.js';
import { AVATARS_SCHEMA } from './people/avatar/avatar.schema.js';
import { CUSTOM_FIELDS_SCHEMA } from './organisation/custom-field/custom-field.schema.js';
import { PERSON_CUSTOM_FIELDS_SCHEMA } from './people/custom-field-value/custom-field-value.schema.js';
import { DOCUMENT_TYPES_SCHEMA } from './organisation/document-type/document-type.schema.js';
import { DOCUMENTS_SCHEMA } from './people/document/document.schema.js';
import { EARLIER_EVENT_STORES, EARLIER_PEOPLE } from './earlier-migrations.js';
import { LOCATIONS_SCHEMA } from './organisation/location/location.schema.js';
import { REFERENCE_VERSIONS_SCHEMA } from './naming/reference-versions.js';
import { ORG_UNITS_SCHEMA } from './organisation/org-unit/org-unit.schema.js';
import { ORGANISATION_TIME_ZONES, ORGANISATIONS_SCHEMA } from './organisation/organisation/organisation.schema.js';
import { PAYROLL_EXPORT_INDEXES } from './integration/payroll-export/payroll-export.schema.js';
import { PERSON_ERASURES_SCHEMA } from './people/erasure/erasures.schema.js';
import { PEOPLE_SCHEMA, PEOPLE_SHOWN_SINCE } from './people/people/people.schema.js';
import { PERSON_TEXTS_SCHEMA } from './people/people/person-text.schema.js';
import { PERSONAL_PROFILES_SCHEMA } from './people/personal-profile/personal-profile.schema.js';
import { BALANCE_ADJUSTMENTS_SCHEMA } from './time-off/balances/balance-adjustment.schema.js';
import { TIME_OFF_CATEGORIES_SCHEMA } from './time-off/category/time-off-category.schema.js';
import { SANDBOXES_SCHEMA } from './integration/sandbox/sandbox.schema.js';
import { FACTS_THAT_CORRECT_OTHERS, TIME_OFF_BY_STATUS, TIME_OFF_SCHEMA } from './time-off/records/time-off.schema.js';
import { TIME_OFF_SETTINGS_SCHEMA } from './time-off/settings/time-off-settings.schema.js';
import { PROVIDER_MAPPINGS_SCHEMA, REMOVED_EXTERNAL_IDS } from './integration/provider-mapping/provider-mapping.schema.js';
import { RESOURCE_MIGRATIONS } from './registry.js';
import { WEBHOOKS_SCHEMA } from './integration/webhook/webhook.schema.js';
import { WORK_PLACES_SCHEMA } from './organisation/work-place/work-place.schema.js';
import { WORK_TYPES_SCHEMA } from './organisation/work-type/work-type.schema.js';
import { WORKING_PATTERNS_SCHEMA } from './organisation/working-pattern/working-pattern.schema.js';

/** The steps up to the last one that was made before resources declared their own. */
const FIRST: readonly Migration[] = [
  { version: 1, name: 'events', sql: EVENT_STORE_SCHEMA, earlier: EARLIER_EVENT_STORES },
  { version: 2, name: 'installation', sql: INSTALLATION_SCHEMA },
  { version: 3, name: 'sync_marks', sql: SYNC_MARKS_SCHEMA },
  { version: 4, name: 'people', sql: PEOPLE_SCHEMA, earlier: EARLIER_PEOPLE },
  { version: 5, name: 'organisations', sql: ORGANISATIONS_SCHEMA },
  { version: 6, name: 'api_keys', sql: API_KEYS_SCHEMA },
  { version: 7, name: 'org_units', sql: ORG_UNITS_SCHEMA },
  { version: 8, name: 'work_places', sql: WORK_PLACES_SCHEMA },
  { version: 9, name: 'work_types', sql: WORK_TYPES_SCHEMA },
  { version: 10, name: 'working_patterns', sql: WORKING_PATTERNS_SCHEMA },
  { version: 11, name: 'projection_checkpoints', sql: PROJECTION_CHECKPOINTS_SCHEMA },
  { version: 12, name: 'idempotency_receipts', sql: IDEMPOTENCY_SCHEMA },
  { version: 13, name: 'rate_limits', sql: RATE_LIMIT_SCHEMA },
  { version: 14, name: 'locations', sql: LOCATIONS_SCHEMA },
  { version: 15, name: 'personal_profiles', sql: PERSONAL_PROFILES_SCHEMA },
  { version: 16, name: 'payroll_export_indexes', sql: PAYROLL_EXPORT_INDEXES },
  { version: 17, name: 'person_texts', sql: PERSON_TEXTS_SCHEMA },
  { version: 18, name: 'reference_versions', sql: REFERENCE_VERSIONS_SCHEMA },
  { version: 19, name: 'time_off_categories', sql: TIME_OFF_CATEGORIES_SCHEMA },
  { version: 20, name: 'time_off_settings', sql: TIME_OFF_SETTINGS_SCHEMA },
  { version: 21, name: 'custom_fields', sql: CUSTOM_FIELDS_SCHEMA },
  { version: 22, name: 'person_custom_fields', sql: PERSON_CUSTOM_FIELDS_SCHEMA },
  { version: 23, name: 'document_types', sql: DOCUMENT_TYPES_SCHEMA },
  { version: 24, name: 'documents', sql: DOCUMENTS_SCHEMA },
  { version: 25, name: 'time_off', sql: TIME_OFF_SCHEMA },
  { version: 26, name: 'avatars', sql: AVATARS_SCHEMA },
  { version: 27, name: 'provider_mappings', sql: PROVIDER_MAPPINGS_SCHEMA },
  { version: 28, name: 'balance_adjustments', sql: BALANCE_ADJUSTMENTS_SCHEMA },
  { version: 29, name: 'append_of_one_event', sql: APPEND_OF_ONE_EVENT },
  { version: 30, name: 'leaner_receipts', sql: LEANER_RECEIPTS },
  { version: 31, name: 'appends_of_one_event', sql: APPENDS_OF_ONE_EVENT },
  { version: 32, name: 'time_off_by_status', sql: TIME_OFF_BY_STATUS },
  { version: 33, name: 'webhooks', sql: WEBHOOKS_SCHEMA },
  { version: 34, name: 'webhook_deliveries', sql: WEBHOOK_DELIVERIES_SCHEMA },
  { version: 35, name: 'person_erasures', sql: PERSON_ERASURES_SCHEMA },
  { version: 36, name: 'audit', sql: AUDIT_SCHEMA },
  { version: 37, name: 'projection_rebuilds', sql: PROJECTION_REBUILDS_SCHEMA },
  { version: 38, name: 'webhook_traces', sql: WEBHOOK_TRACES },
  { version: 39, name: 'sandboxes', sql: SANDBOXES_SCHEMA },
  { version: 40, name: 'key_rings', sql: KEY_RINGS_SCHEMA },
  { version: 41, name: 'organisation_time_zones', sql: ORGANISATION_TIME_ZONES },
  { version: 42, name: 'removed_external_ids', sql: REMOVED_EXTERNAL_IDS },
  { version: 43, name: 'webhook_due_by_endpoint', sql: WEBHOOK_DUE_BY_ENDPOINT },
  { version: 44, name: 'reference_locks', sql: REFERENCE_LOCKS_SCHEMA },
  { version: 45, name: 'facts_that_correct_others', sql: FACTS_THAT_CORRECT_OTHERS },
  { version: 46, name: 'settle_stream', sql: SETTLE_STREAM },
  { version: 47, name: 'people_shown_since', sql: PEOPLE_SHOWN_SINCE },
  { version: 48, name: 'webhook_failed_by_time', sql: WEBHOOK_FAILED_BY_TIME },
];

/** The whole schema, step by step. A released step never changes; see {@link Migration}. Later steps are declared by the resource they belong to. */
export const MIGRATIONS: readonly Migration[] = [...FIRST, ...RESOURCE_MIGRATIONS.toSorted((one, other) => one.version - other.version)];
