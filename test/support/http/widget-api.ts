import { randomBytes, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { fixedRing } from '../fixed-ring.js';
import { MemoryEventStore } from '../memory-event-store.js';
import { type RunningApi, startListener } from '#api/listener.js';
import { DEFAULT_CONFIGURATION } from './default-configuration.js';
import { generateApiKey } from '#identifiers/api-key.js';
import type { KeyEnvironment } from '#kernel/tenancy.js';
import { SCOPES } from '#kernel/scopes.js';
import { createTestDatabase, type TestDatabase } from '../postgres.js';
import { WidgetModule } from './widget.module.js';

export const LIVE_ORGANISATION = 'org_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';
export const OTHER_ORGANISATION = 'org_BBBBBBBB.BBBBBBBB.BBBBBBBBBBBB';
export const SANDBOX_ORGANISATION = 'org_SSSSSSSS.SSSSSSSS.SSSSSSSSSSSS';

const KEYS = { ids: randomBytes(32), cursors: fixedRing(randomBytes(32)) };

/** Creates a database with three organisations. */
export async function pipelineDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await addOrganisation(database.pool, LIVE_ORGANISATION, {});
  await addOrganisation(database.pool, OTHER_ORGANISATION, {});
  await addOrganisation(database.pool, SANDBOX_ORGANISATION, { isSandbox: true });
  return database;
}

/** Starts the tests' own API on any free port. */
export function startWidgetApi(
  pool: Pool,
  options: Partial<Parameters<typeof startListener>[0]> & { limits?: object } = {},
): Promise<RunningApi> {
  const { limits, ...rest } = options;
  return startListener({
    pool,
    eventStore: new MemoryEventStore(),
    keys: KEYS,
    environment: 'live',
    port: 0,
    modules: [WidgetModule],
    ...rest,
    configuration: { ...DEFAULT_CONFIGURATION, ...limits },
  });
}

interface OrganisationOptions {
  readonly plan?: string;
  readonly writesApproved?: boolean;
  readonly isSandbox?: boolean;
}

export async function addOrganisation(pool: Pool, id: string, options: OrganisationOptions): Promise<void> {
  const values = [
    id,
    `sub-${randomUUID()}`,
    options.plan ?? 'standard',
    options.writesApproved ?? true,
    options.isSandbox ?? false,
  ];
  await pool.query(
    `insert into organisations (id, revision, name, subdomain, country_code, plan, time_zone, writes_approved, is_sandbox, created_at, updated_at)
     values ($1, 0, 'Test', $2, 'GB', $3, 'Europe/London', $4, $5, now(), now())`,
    values,
  );
}

export interface TestKey {
  readonly apiKey: string;
  readonly keyId: string;
}

/** Creates a key with all scopes, or with the given ones. */
export async function addKey(
  pool: Pool,
  options: { organisationId?: string; environment?: KeyEnvironment; scopes?: readonly string[]; expiresAt?: Date } = {},
): Promise<TestKey> {
  const { organisationId = LIVE_ORGANISATION, environment = 'live', scopes = SCOPES, expiresAt = null } = options;
  const generated = generateApiKey(environment);
  const keyId = `key_${randomUUID()}`;
  await pool.query(
    `insert into api_keys (key_id, organisation_id, revision, environment, name, scopes, secret_hash, prefix, last_four, expires_at, created_at, updated_at)
     values ($1, $2, 0, $3, 'test', $4, $5, $6, $7, $8, now(), now())`,
    [keyId, organisationId, environment, scopes, generated.secretHash, generated.prefix, generated.lastFour, expiresAt],
  );
  return { apiKey: generated.apiKey, keyId };
}

/** A request of a test. */
export interface TestRequest {
  readonly method?: string;
  readonly path: string;
  readonly key?: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // Tests read answers of any shape.
  readonly json: { [name: string]: unknown } & { error: ErrorBody; data: Readonly<Record<string, unknown>> };
}

export interface ErrorBody {
  readonly code: string;
  readonly message: string;
  readonly request_id: string;
  readonly details?: readonly { field: string; issue: string }[];
}

/** Sends a request below /api/v1. A write gets a new Idempotency-Key where none is given. */
export async function send(api: RunningApi, request: TestRequest): Promise<TestAnswer> {
  const { method = 'GET', path, key, body, idempotencyKey = randomUUID() } = request;
  const headers = new Headers(request.headers);
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`);
  if (method !== 'GET' && idempotencyKey !== null) headers.set('idempotency-key', idempotencyKey);
  const isText = typeof body === 'string' || body instanceof Uint8Array;
  if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const payload = body === undefined ? {} : { body: (isText ? body : JSON.stringify(body)) as string };
  const response = await fetch(`${api.url}/api/v1${path}`, { method, headers, ...payload });
  const answer = await response.text();
  const json = (answer.startsWith('{') ? JSON.parse(answer) : {}) as TestAnswer['json'];
  return { status: response.status, headers: response.headers, text: answer, json };
}
