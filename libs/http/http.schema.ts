import { IDEMPOTENCY_SCHEMA } from './idempotency/receipts.sql.js';
import { RATE_LIMIT_SCHEMA } from './rate-limit/window-leases.js';

/** The tables and functions of the request pipeline: receipts of writes, and windows of rate limits. */
export const HTTP_SCHEMA = IDEMPOTENCY_SCHEMA + RATE_LIMIT_SCHEMA;
