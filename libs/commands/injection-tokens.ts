/** Tokens of the providers that `apps/api` offers to every Nest module. */
export const DATABASE_POOL = Symbol('DATABASE_POOL');
export const EVENT_STORE = Symbol('EVENT_STORE');
export const CLOCK = Symbol('CLOCK');
/** `live` or `sandbox`. */
export const ENVIRONMENT = Symbol('ENVIRONMENT');
/** All routes of the running API. */
export const ROUTES = Symbol('ROUTES');
/** Where callers reach the listener, without a slash at its end; null where only requests say it. */
export const PUBLIC_URL = Symbol('PUBLIC_URL');
