import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AnswerCheck } from '../api/answer-check.js';
import { type ApiAnswer, ApiClient, tagOf } from '../api/http-client.js';
import type { Person } from '../api/shapes.js';

/** An acknowledged write, with what is needed to check it. */
export interface Acknowledged {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: object;
  readonly idempotencyKey: string;
  readonly ifMatch: string | undefined;
  readonly answer: ApiAnswer;
  /** `performance.now()` */
  readonly at: number;
}

/** What the acknowledgements say about one person. */
export interface KnownPerson {
  readonly id: string;
  /** Job titles in the order in which their changes were acknowledged. */
  readonly titles: string[];
}

/** The acknowledgements of all callers together, and the irregularities that they met. */
export interface Told {
  readonly writes: Acknowledged[];
  readonly people: KnownPerson[];
  /** Attempts without an answer, or answered with a 503 or `in_progress`. */
  unanswered: number;
  unavailable: number;
  stillRunning: number;
  /**
   * Reads that showed a row from before an acknowledged write. This is allowed for a moment after PostgreSQL
   * was killed.
   */
  stale: number;
}

/** The settings of the callers. */
export interface WritersSettings {
  readonly addresses: () => readonly string[];
  readonly apiKey: string;
  readonly check: AnswerCheck;
  readonly count: number;
}

const FIRST_DAY = Date.UTC(2021, 0, 1);
const DAY_MILLISECONDS = 86_400_000;
const MAX_PAUSE_MILLISECONDS = 1_000;
const MENDED_MILLISECONDS = 600_000;
/** Changes go to the newest people, so that histories keep a usual length. */
const RECENT_PEOPLE = 5;

/**
 * Concurrent callers. Each writes to separate people, and repeats a request under the same key until it is
 * answered.
 */
export class Writers {
  readonly told: Told = { writes: [], people: [], unanswered: 0, unavailable: 0, stillRunning: 0, stale: 0 };
  private readonly clients = new Map<string, ApiClient>();
  private isEnding = false;
  private working: Promise<unknown> = Promise.resolve();

  constructor(private readonly settings: WritersSettings) {}

  /** Starts to write; {@link finish} reports a failure of any caller. */
  begin(): void {
    this.isEnding = false;
    this.working = Promise.all(Array.from({ length: this.settings.count }, () => this.write()));
    this.working.catch(() => undefined);
  }

  /** Lets every caller finish its current write. Throws where no fault excuses an answer. */
  async finish(): Promise<void> {
    this.isEnding = true;
    await this.working;
  }

  /** Resolves after this number of further acknowledged writes; throws immediately where a caller gave up. */
  async untilAcknowledged(more: number): Promise<void> {
    const requested = this.told.writes.length + more;
    const progress = async (): Promise<void> => {
      while (this.told.writes.length < requested) await wait(5);
    };
    await Promise.race([progress(), this.working.then(() => undefined)]);
  }

  /** Repeats a request with the same key until a process answers it. */
  async ask<Data>(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    options: { readonly body?: object; readonly idempotencyKey?: string; readonly ifMatch?: string | undefined } = {},
  ): Promise<ApiAnswer<Data>> {
    for (;;) {
      const answer = await this.somebody()
        .send<Data>(method, path, options)
        .catch((error: unknown) => {
          if (!isLostConnection(error)) throw error;
          return null;
        });
      if (answer === null) this.told.unanswered += 1;
      else if (answer.status === 503) this.told.unavailable += 1;
      else if (answer.json.error?.details?.[0]?.issue === 'in_progress') this.told.stillRunning += 1;
      else if (answer.status >= 300)
        throw new RefusedError(answer.status, `${method} ${path} was refused: ${answer.status} ${answer.text}`);
      else return answer;
      await wait(
        Math.min(MAX_PAUSE_MILLISECONDS, Number(answer?.headers['retry-after'] ?? 0.05) * 1_000) * Math.random(),
      );
    }
  }

  close(): void {
    for (const client of this.clients.values()) client.close();
  }

  private async write(): Promise<void> {
    const own: KnownPerson[] = [];
    while (!this.isEnding) {
      if (own.length === 0 || randomInt(3) === 0) own.unshift(await this.create());
      else await this.change(own[randomInt(Math.min(own.length, RECENT_PEOPLE))]!);
      const read = own[randomInt(own.length)]!;
      await this.mend(async () => {
        const { json } = await this.ask<Person>('GET', `/people/${read.id}`);
        // This must hold for every process that answers, whatever happened to the process that wrote.
        return json.data.job_title === titleToday(read)
          ? true
          : `a read after an acknowledged write shows ${json.data.job_title}, not ${titleToday(read)}`;
      });
    }
  }

  private async create(): Promise<KnownPerson> {
    const body = { work_email: `${randomUUID()}@example.com`, start_date: '2020-01-01', job_title: 'T0' };
    const answer = await this.acknowledge<Person>('POST', '/people', body, undefined);
    const person = { id: answer.json.data.id, titles: ['T0'] };
    this.told.people.push(person);
    return person;
  }

  private async change(person: KnownPerson): Promise<void> {
    const title = `T${person.titles.length}`;
    const start = new Date(FIRST_DAY + person.titles.length * DAY_MILLISECONDS).toISOString().slice(0, 10);
    await this.mend(async () => {
      const ifMatch = tagOf(await this.ask('GET', `/people/${person.id}/employment`));
      try {
        await this.acknowledge(
          'PATCH',
          `/people/${person.id}/employment`,
          { start_date: start, job_title: title },
          ifMatch,
        );
        return true;
      } catch (error) {
        if (!(error instanceof RefusedError) || error.status !== 412) throw error;
        return error.message;
      }
    });
    person.titles.push(title);
  }

  /** Repeats a check for as long as the catch-up may take to update a row. */
  private async mend(attempt: () => Promise<true | string>): Promise<void> {
    const deadline = performance.now() + MENDED_MILLISECONDS;
    for (let outcome = await attempt(); outcome !== true; outcome = await attempt()) {
      if (performance.now() > deadline) throw new Error(outcome);
      this.told.stale += 1;
      await wait(100);
    }
  }

  private async acknowledge<Data>(
    method: 'POST' | 'PATCH',
    path: string,
    body: object,
    ifMatch: string | undefined,
  ): Promise<ApiAnswer<Data>> {
    const idempotencyKey = randomUUID();
    const answer = await this.ask<Data>(method, path, { body, idempotencyKey, ifMatch });
    this.told.writes.push({ method, path, body, idempotencyKey, ifMatch, answer, at: performance.now() });
    return answer;
  }

  private somebody(): ApiClient {
    const addresses = this.settings.addresses();
    const address = addresses[randomInt(addresses.length)]!;
    let client = this.clients.get(address);
    if (client === undefined)
      this.clients.set(address, (client = new ApiClient(address, this.settings.apiKey, this.settings.check)));
    return client;
  }
}

class RefusedError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** All changes are in the past, so the last one is in force today. */
function titleToday(person: KnownPerson): string {
  return person.titles.at(-1)!;
}

const CONNECTION_CODES: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

function isLostConnection(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && CONNECTION_CODES.has(error.code);
}
