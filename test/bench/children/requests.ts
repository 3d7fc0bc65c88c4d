import { randomUUID } from 'node:crypto';
import { valueOf } from './connection.js';
import type { Load } from './load.js';

const TAG = 'service-resource-etag: ';
/** Idempotency keys are as long as a UUID: what differs is a number at the end. */
const KEY_DIGITS = 12;

/** The requests of some reads, written once: sending one costs no more than a look into an array. */
export function readRequests(load: Load, paths: readonly string[]): readonly Buffer[] {
  return paths.map((path) => Buffer.from(`GET ${path} HTTP/1.1\r\n${commonHeaders(load)}\r\n`, 'latin1'));
}

const TOOL = 'read_person';
const REVISION = '2026-07-28';
const META = { 'io.modelcontextprotocol/protocolVersion': REVISION, 'io.modelcontextprotocol/clientCapabilities': {} };

/** The same for reads by a tool. */
export function toolRequests(load: Load, personIds: readonly string[]): readonly Buffer[] {
  const headers = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${REVISION}`,
    'Mcp-Method: tools/call',
    `Mcp-Name: ${TOOL}`,
  ].join('\r\n');
  return personIds.map((id, index) => {
    const params = { name: TOOL, arguments: { person_id: id }, _meta: META };
    const body = JSON.stringify({ jsonrpc: '2.0', id: index, method: 'tools/call', params });
    return Buffer.from(`POST /mcp HTTP/1.1\r\n${commonHeaders(load)}${headers}\r\nContent-Length: ${body.length}\r\n\r\n${body}`, 'latin1');
  });
}

/** Writes the requests of a load of writes: each with an idempotency key of its own, a PATCH with the tag that the last answer gave. */
export class RequestWriter {
  private readonly common: string;
  private readonly key = randomUUID().slice(0, -KEY_DIGITS);
  private readonly tags = new Map<number, string>();
  /** Which target each connection named last, and which it names next. */
  private readonly targets: number[];
  private count = 0;

  constructor(private readonly load: Load) {
    this.common = `${commonHeaders(load)}Content-Type: application/json\r\n`;
    this.targets = Array.from({ length: load.connections }, (_, connection) => connection - load.connections);
  }

  /** The request that a connection sends next. */
  next(connection: number): string {
    const { work, connections } = this.load;
    this.count += 1;
    if (work.kind === 'people') return this.write('POST', work.path, newPerson(work.name, this.count), '');
    if (work.kind === 'time-off') return this.write('POST', work.path, newTimeOff(work, this.count - 1), '');
    if (work.kind !== 'patches') throw new Error('reads are written once');
    // A connection keeps to its own share, so that nobody else has the tag that it sends.
    const after = this.targets[connection]! + connections;
    const target = after < work.paths.length ? after : connection;
    this.targets[connection] = target;
    return this.write(
      'PATCH',
      work.paths[target]!,
      `{"staff_id":"S${this.digits()}"}`,
      `If-Match: ${this.tags.get(target) ?? '"none"'}\r\n`,
    );
  }

  /** Keeps the entity tag of the answer to a connection's last request. */
  learn(connection: number, head: string): void {
    if (this.load.work.kind === 'patches') this.keepTag(this.targets[connection]!, head);
  }

  /** Keeps the entity tag of a target; a server without entity tags gives none. */
  keepTag(target: number, head: string): void {
    const tag = valueOf(head, TAG);
    if (tag !== '') this.tags.set(target, tag);
  }

  private write(method: string, path: string, body: string, headers: string): string {
    return `${method} ${path} HTTP/1.1\r\n${this.common}${headers}Idempotency-Key: ${this.key}${this.digits()}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  }

  private digits(): string {
    return String(this.count).padStart(KEY_DIGITS, '0');
  }
}

function commonHeaders({ url, apiKey }: Load): string {
  return `Host: ${new URL(url).host}\r\nAuthorization: Bearer ${apiKey}\r\n`;
}

function newPerson(name: string, number: number): string {
  return `{"work_email":"${name}.${number}@bench.example","first_name":"Ada","last_name":"Number ${number}","job_title":"Engineer","start_date":"2026-01-05"}`;
}

function newTimeOff(work: Extract<Load['work'], { kind: 'time-off' }>, number: number): string {
  const { categoryId, personIds, days } = work;
  const day = days[Math.floor(number / personIds.length)]!;
  return `{"person_id":"${personIds[number % personIds.length]!}","category_id":"${categoryId}","start_date":"${day}","end_date":"${day}"}`;
}
