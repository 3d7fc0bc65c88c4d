import { randomUUID } from 'node:crypto';
import type { Load } from './load.js';

const SEED = 20_260_101;
const TAG = /\r\nservice-resource-etag: ([^\r]+)/i;

/** Writes the requests of a load. */
export class Requests {
  private readonly common: string;
  /** Begins idempotency keys and addresses, so that no two loads have one in common. */
  private readonly name = randomUUID();
  private readonly reads: readonly Buffer[];
  private readonly tags = new Map<number, string>();
  /** Which target each connection names next. */
  private readonly targets: number[];
  private count = 0;
  private random = SEED;

  constructor(private readonly load: Load) {
    this.common = `Host: ${new URL(load.url).host}\r\nAuthorization: Bearer ${load.apiKey}\r\n`;
    this.targets = Array.from({ length: load.connections }, (_, connection) => connection - load.connections);
    const { work } = load;
    // Written once: sending one costs no more than a look into an array.
    this.reads =
      'paths' in work ? work.paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\n${this.common}\r\n`)) : [];
  }

  /**
   * The reads from which a connection learns the entity tags of its targets, with their numbers: none where
   * nothing is changed.
   */
  *toLearn(connection: number): Generator<readonly [number, Buffer]> {
    if (this.load.work.kind !== 'patches') return;
    for (let target = connection; target < this.reads.length; target += this.load.connections)
      yield [target, this.reads[target]!];
  }

  /** The request that a connection sends next. */
  next(connection: number): Buffer | string {
    const { work, connections } = this.load;
    this.count += 1;
    if (work.kind === 'reads') return this.reads[this.nextRandom() % this.reads.length]!;
    if (work.kind === 'people') return this.write('POST', work.path, newPerson(this.name, this.count), '');
    if (work.kind === 'time-off') {
      const { categoryId, personIds, days } = work;
      const [person_id, day] = [
        personIds[this.count % personIds.length]!,
        days[Math.floor(this.count / personIds.length) % days.length]!,
      ];
      return this.write(
        'POST',
        work.path,
        JSON.stringify({ person_id, category_id: categoryId, start_date: day, end_date: day }),
        '',
      );
    }
    // A connection keeps to its own share, so that nobody else has the tag that it sends.
    const after = this.targets[connection]! + connections;
    const target = after < work.paths.length ? after : connection;
    this.targets[connection] = target;
    const tag = `If-Match: ${this.tags.get(target) ?? '"none"'}\r\n`;
    return this.write('PATCH', work.paths[target]!, `{"staff_id":"S${String(this.count).padStart(12, '0')}"}`, tag);
  }

  /** Keeps the entity tag of an answer about a target: by default, the one that the connection named last. */
  learn(connection: number, head: string, target = this.targets[connection]!): void {
    const tag = this.load.work.kind === 'patches' ? TAG.exec(head)?.[1] : undefined;
    if (tag !== undefined) this.tags.set(target, tag);
  }

  private write(method: string, path: string, body: string, headers: string): string {
    const key = `Idempotency-Key: ${this.name}-${this.count}\r\n`;
    const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    return `${method} ${path} HTTP/1.1\r\n${this.common}${headers}${key}${type}\r\n${body}`;
  }

  /**
   * The same sequence for each load (the constants of Numerical Recipes); the low bits of such numbers repeat
   * soon.
   */
  private nextRandom(): number {
    this.random = (Math.imul(this.random, 1_664_525) + 1_013_904_223) >>> 0;
    return this.random >>> 8;
  }
}

function newPerson(name: string, number: number): string {
  const employment = { job_title: 'Engineer', start_date: '2026-01-05' };
  return JSON.stringify({
    work_email: `p${number}.${name}@bench.example`,
    first_name: 'Ada',
    last_name: `Number ${number}`,
    ...employment,
  });
}
