import { allOf, raw, sql } from '#database/sql.js';
import type { Executor } from '#projections/projection.js';

/** A row of `request_log`. */
export interface RequestRow {
  readonly request_id: string;
  readonly answered_at: Date;
  readonly method: string;
  /** With parameters as `:name`. */
  readonly route: string | null;
  readonly operation: string | null;
  readonly status: number;
  readonly error_code: string | null;
  readonly caller_type: 'api_key' | 'user';
  readonly caller_id: string;
  readonly milliseconds: number;
}

/** A position in the log, newest first. */
export interface RequestPlace {
  /** RFC 3339. */
  readonly answeredAt: string;
  readonly id: string;
}

/** The filter of a page. */
export interface RequestFilters {
  /** A status, or its first digit and `xx`. */
  readonly status: string | null;
  readonly method: string | null;
  /** With parameters as `:name`. */
  readonly route: string | null;
  /** Of a key or a user. */
  readonly callers: readonly string[];
}

/** The requests of an organisation since a time. */
export interface RequestScope {
  readonly organisationId: string;
  readonly since: Date;
}

const COLUMNS =
  'request_id, answered_at, method, route, operation, status, error_code, caller_type, caller_id, milliseconds';

/** A page of the log, newest first. */
export async function listRequests(
  executor: Executor,
  { organisationId, since }: RequestScope,
  page: { readonly filters: RequestFilters; readonly after: RequestPlace | null; readonly count: number },
): Promise<readonly RequestRow[]> {
  const { filters, after, count } = page;
  const { status, method, route, callers } = filters;
  const conditions = [sql`organisation_id = ${organisationId}`, sql`answered_at >= ${since}`];
  if (status?.endsWith('xx') === true) conditions.push(sql`status / 100 = ${Number(status[0])}::integer`);
  else if (status !== null) conditions.push(sql`status = ${Number(status)}::integer`);
  if (method !== null) conditions.push(sql`method = ${method}`);
  if (route !== null) conditions.push(sql`route = ${route}`);
  for (const caller of callers) conditions.push(sql`caller_id = ${caller}`);
  if (after !== null) conditions.push(sql`(answered_at, request_id) < (${after.answeredAt}::timestamptz, ${after.id})`);
  const { rows } = await executor.query<RequestRow>(
    sql`select ${raw(COLUMNS)} from request_log where ${allOf(conditions)}
      order by answered_at desc, request_id desc limit ${count}`,
  );
  return rows;
}

/** The request with this id; null if the organisation made none, or it has expired. */
export async function findRequest(
  executor: Executor,
  { organisationId, since }: RequestScope,
  id: string,
): Promise<RequestRow | null> {
  const { rows } = await executor.query<RequestRow>({
    name: 'find-request',
    text: `select ${COLUMNS} from request_log where organisation_id = $1 and answered_at >= $2 and request_id = $3
      limit 1`,
    values: [organisationId, since, id],
  });
  return rows[0] ?? null;
}
