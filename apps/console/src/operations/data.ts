import { send } from '../data/connection.js';

/** The documents of the operations listener (docs/reference/operations.md), as far as the page uses them. */
export interface Projections {
  readonly as_of: string;
  readonly head: string | null;
  readonly is_led: { readonly catch_up: boolean; readonly fan_out: boolean };
  readonly projections: readonly Projection[];
  readonly requests: readonly RebuildRequest[];
}

export interface Projection {
  readonly name: string;
  readonly position: string | null;
  readonly lag_seconds: number;
  readonly tables: readonly string[];
  readonly rebuild: RebuildProgress | null;
}

export interface RebuildProgress {
  readonly phase: 'filling' | 'completing';
  readonly events: number;
  readonly rows: number;
  readonly expected_rows: number;
  readonly ratio: number;
  readonly events_per_second: number | null;
  readonly seconds_left: number | null;
  readonly updated_at: string;
}

export interface RebuildRequest {
  readonly id: string;
  readonly projection: string;
  readonly state: 'queued' | 'running' | 'done' | 'failed';
  readonly requested_at: string;
  readonly ended_at: string | null;
  readonly events: number | null;
  readonly rows: number | null;
  readonly differences: number | null;
  readonly seconds: number | null;
}

export interface Engines {
  readonly engines: readonly {
    readonly name: string;
    readonly does: string;
    readonly is_up: boolean;
    readonly version: string | null;
    readonly latency_ms: number | null;
    readonly message: string | null;
  }[];
}

export interface Health {
  readonly status: 'ok' | 'degraded' | 'failed';
  readonly parts: Readonly<
    Record<string, { readonly status: 'ok' | 'degraded' | 'failed'; readonly message: string | null }>
  >;
}

export interface Deliveries {
  readonly summary: {
    readonly endpoints: Readonly<Record<string, number>>;
    readonly deliveries: { readonly pending: number; readonly retry_scheduled: number; readonly failed: number };
    readonly oldest_due_at: string | null;
  };
  readonly endpoints: readonly {
    readonly organisation: { readonly id: string; readonly subdomain: string | null };
    readonly webhook_id: string;
    readonly name: string;
    readonly state: 'disabled' | 'failing' | 'waiting' | 'ok';
    readonly deliveries: { readonly pending: number; readonly retry_scheduled: number; readonly failed: number };
    readonly oldest_due_at: string | null;
    readonly last_failure: { readonly at: string; readonly message: string | null } | null;
  }[];
}

export interface LoggedEvent {
  readonly position: string;
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly recorded_at: string;
  readonly fields: readonly string[];
  readonly metadata: {
    readonly schema_version: number;
    readonly actor: { readonly type: 'api_key' | 'user' | 'operator' | 'system'; readonly id: string };
    readonly request_id: string | null;
    readonly causation_id: string | null;
    readonly hash: string;
    readonly previous_hash: string | null;
  };
}

export interface LogPage {
  readonly head: string | null;
  readonly events: readonly LoggedEvent[];
  readonly before: string | null;
  readonly after: string | null;
}

/** Counts and the longest lag of each of 60 minutes; the lag is null for a minute without a sample. */
export interface LastHour {
  readonly minutes: readonly {
    readonly at: string;
    readonly events: number;
    readonly delivered: number;
    readonly failed: number;
    readonly lag_seconds: number | null;
  }[];
}

export interface StreamPage {
  readonly events: readonly LoggedEvent[];
  readonly next_from: number | null;
}

/** A refusal of the listener, in its words. */
export class OperationsError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
    this.name = 'OperationsError';
  }
}

/**
 * Calls the listener that serves this page. The browser adds the operator's token, which it requested when it
 * opened the page. A health state other than "ok" is a valid response too. Throws {@link OperationsError},
 * and the errors of `fetch`.
 */
export async function ask<Document>(path: string, method: 'GET' | 'POST' = 'GET'): Promise<Document> {
  const response = await send(new Request(path, { method }));
  const isHealth = path === '/health' && response.status === 503;
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const body: unknown = isJson ? await response.json() : null;
  if (response.ok || isHealth) return body as Document;
  const { message = `The listener answered ${response.status}.` } = (body ?? {}) as { readonly message?: string };
  throw new OperationsError(response.status, message);
}
