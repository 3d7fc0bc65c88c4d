import type { Pool } from 'pg';
import type { AnsweredRequest, RequestNotes } from '#http/pipeline/observe-request.js';
import type { Clock } from '#kernel/clock.js';
import { partitionOf, REQUEST_LOG_DAYS, slotOf } from './request-log.sql.js';

type Executor = Pick<Pool, 'query'>;

/** How long a request is buffered before it is written, in milliseconds. */
const FLUSH_MILLISECONDS = 1_000;
/** Rows of one statement. */
const BATCH = 2_000;
/**
 * The maximum number of buffered requests; while the database cannot keep up, further ones are dropped from
 * the log.
 */
const MAX_BACKLOG = 20_000;

interface NotedRequest {
  readonly request: AnsweredRequest;
  readonly answeredAt: Date;
}

const INSERT = `
insert into request_log (slot, organisation_id, request_id, answered_at, method, route, operation, status, error_code, caller_type, caller_id, milliseconds)
select * from unnest($1::smallint[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::text[], $8::smallint[], $9::text[],
                     $10::text[], $11::text[], $12::real[])`;

/**
 * Buffers the answered requests of keys and sessions in memory, and writes them a second later in one batch.
 * An idle process writes nothing. A process that crashes loses its last second, and requests never wait for
 * the log.
 */
export class RequestLog implements RequestNotes {
  private pending: NotedRequest[] = [];
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> | null = null;
  private leftOut = 0;

  /** @param report - called with the number of dropped requests, and the error if one is the reason */
  constructor(
    private readonly executor: Executor,
    private readonly clock: Clock,
    private readonly report: (leftOut: number, error: unknown) => void,
  ) {}

  /** Buffers an answered request. */
  note(request: AnsweredRequest): void {
    if (this.pending.length >= MAX_BACKLOG) {
      this.leftOut += 1;
      return;
    }
    this.pending.push({ request, answeredAt: this.clock.now() });
    this.timer ??= setTimeout(() => void this.flush(), FLUSH_MILLISECONDS).unref();
  }

  /**
   * Writes the buffered requests. Never rejects: requests that cannot be written are dropped and reported.
   */
  async flush(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    await this.writing;
    this.writing = this.write().finally(() => {
      this.writing = null;
    });
    await this.writing;
  }

  private async write(): Promise<void> {
    const rows = this.pending;
    this.pending = [];
    let failure: unknown = null;
    for (let from = 0; from < rows.length; from += BATCH) {
      const batch = rows.slice(from, from + BATCH);
      try {
        await this.executor.query({ name: 'http-log-requests', text: INSERT, values: columnsOf(batch) });
      } catch (error) {
        failure = error;
        this.leftOut += batch.length;
      }
    }
    if (this.leftOut === 0) return;
    this.report(this.leftOut, failure);
    this.leftOut = 0;
  }
}

function columnsOf(rows: readonly NotedRequest[]): unknown[][] {
  const of = <Name extends keyof AnsweredRequest>(name: Name): AnsweredRequest[Name][] =>
    rows.map(({ request }) => request[name]);
  return [
    rows.map(({ answeredAt }) => slotOf(answeredAt)),
    of('organisationId'),
    of('requestId'),
    rows.map(({ answeredAt }) => answeredAt),
    of('method'),
    of('route'),
    of('operation'),
    of('status'),
    of('errorCode'),
    of('callerType'),
    of('callerId'),
    of('milliseconds'),
  ];
}

/**
 * Empties the partition of tomorrow, and removes older rows, which exist only if no worker ran for days.
 * Writes nothing if there is nothing to remove. The worker's retention calls it.
 */
export async function purgeRequestLog(executor: Executor, now: Date): Promise<void> {
  const next = partitionOf(slotOf(new Date(now.getTime() + 86_400_000)));
  const { rows } = await executor.query<{ has_rows: boolean }>(`select exists (select from ${next}) as has_rows`);
  if (rows[0]!.has_rows) await executor.query(`truncate ${next}`);
  const oldest = new Date(now.getTime() - (REQUEST_LOG_DAYS + 1) * 86_400_000);
  await executor.query('delete from request_log where answered_at < $1', [oldest]);
}
