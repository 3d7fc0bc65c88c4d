import { INSTALLATION_SCHEMA } from '#database/installation.sql.js';
import type { Migration } from '#database/migrations.js';
import { EVENT_STORE_SCHEMA } from '#event-store/postgres/schema.sql.js';
import { IDEMPOTENCY_SCHEMA } from '#http/idempotency/receipts.sql.js';
import { RATE_LIMIT_SCHEMA } from '#http/rate-limit/window-leases.js';
import { PROJECTION_CHECKPOINTS_SCHEMA } from '#projections/checkpoints.js';
import { SYNC_MARKS_SCHEMA } from '#projections/upsert.js';
import { API_KEYS_SCHEMA } from './api-key/api-key.schema.js';
import { LOCATIONS_SCHEMA } from './location/location.schema.js';
import { ORG_UNITS_SCHEMA } from './org-unit/org-unit.schema.js';
import { ORGANISATIONS_SCHEMA } from './organisation/organisation.schema.js';
import { PEOPLE_SCHEMA } from './people/people.schema.js';
import { WORK_PLACES_SCHEMA } from './work-place/work-place.schema.js';
import { WORK_TYPES_SCHEMA } from './work-type/work-type.schema.js';
import { WORKING_PATTERNS_SCHEMA } from './working-pattern/working-pattern.schema.js';

/** The whole schema, step by step. A released step never changes; see {@link Migration}. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'events', sql: EVENT_STORE_SCHEMA },
  { version: 2, name: 'installation', sql: INSTALLATION_SCHEMA },
  { version: 3, name: 'sync_marks', sql: SYNC_MARKS_SCHEMA },
  { version: 4, name: 'people', sql: PEOPLE_SCHEMA },
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
];
