/** Tokens of the providers that `apps/api` offers to every Nest module. */
export const DATABASE_POOL = Symbol('DATABASE_POOL');
export const EVENT_STORE = Symbol('EVENT_STORE');
export const CLOCK = Symbol('CLOCK');
/** `live` or `sandbox`. */
export const ENVIRONMENT = Symbol('ENVIRONMENT');
/** All routes of the running API. */
export const ROUTES = Symbol('ROUTES');
/** The listener's address for callers, without a trailing slash; null if it is known only from requests. */
export const PUBLIC_URL = Symbol('PUBLIC_URL');
export const PROGRAM_VERSION = Symbol('PROGRAM_VERSION');
