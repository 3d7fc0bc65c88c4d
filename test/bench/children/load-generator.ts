import { randomUUID } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request as send } from 'node:http';
import { answerParent } from './answer.js';

/** What is asked for again and again. */
export interface Load {
  readonly url: string;
  readonly method: 'GET' | 'PATCH' | 'POST';
  /** Taken in turn; every connection its own, so that no two requests in progress name the same one. */
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** What a POST asks for; null for other methods. */
  readonly timeOff: WantedTimeOff | null;
  readonly connections: number;
  readonly seconds: number;
}

/** Single days off: the first day for each of these people in turn, then the next day, so that none overlaps another one. */
export interface WantedTimeOff {
  readonly categoryId: string;
  readonly personIds: readonly string[];
  readonly days: readonly string[];
}

/** What came of it. */
export interface Throughput {
  readonly requests: number;
  readonly perSecond: number;
  readonly bytesPerAnswer: number;
  /** Milliseconds. */
  readonly median: number;
  readonly percentile99: number;
}

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
}

const agents = new Map<string, Agent>();
/** Entity tags by URL, as the last answer gave them. */
const tags = new Map<string, string>();

function agentFor({ url, connections }: Load): Agent {
  const key = `${url} ${connections}`;
  const agent = agents.get(key) ?? new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
  agents.set(key, agent);
  return agent;
}

/** What the request of a number carries; null for nothing. */
function bodyOf({ method, timeOff }: Load, number: number): string | null {
  if (method === 'GET') return null;
  if (timeOff === null) return JSON.stringify({ staff_id: `S${randomUUID().slice(0, 8)}` });
  const { categoryId: category_id, personIds, days } = timeOff;
  const day = days[Math.floor(number / personIds.length)]!;
  return JSON.stringify({ person_id: personIds[number % personIds.length], category_id, start_date: day, end_date: day });
}

function exchange(agent: Agent, load: Load, path: string, number: number): Promise<Received> {
  return new Promise((resolve, reject) => {
    const url = new URL(load.url);
    const body = bodyOf(load, number);
    const headers: Record<string, string | number> = { ...load.headers };
    if (body !== null) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = body.length;
      headers['idempotency-key'] = randomUUID();
      if (load.method === 'PATCH') headers['if-match'] = tags.get(url.host + path) ?? '"none"';
    }
    const request = send({ agent, host: url.hostname, port: url.port, method: load.method, path, headers }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => (bytes += chunk.length));
      response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, bytes }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body ?? undefined);
  });
}

async function exchangeAndCheck(agent: Agent, load: Load, path: string, number: number): Promise<number> {
  const { status, headers, bytes } = await exchange(agent, load, path, number);
  if (status !== (load.method === 'POST' ? 201 : 200)) throw new Error(`${load.method} ${path} answered ${status}`);
  const tag = headers['service-resource-etag'];
  if (typeof tag === 'string' && load.method === 'PATCH') tags.set(new URL(load.url).host + path, tag);
  return bytes;
}

/** Learns the entity tags of all paths, so that a PATCH can name them. */
async function learnTags(load: Load): Promise<void> {
  const agent = agentFor(load);
  const reads: Load = { ...load, method: 'GET' };
  await Promise.all(
    Array.from({ length: load.connections }, async (_, connection) => {
      for (let index = connection; index < load.paths.length; index += load.connections) {
        const path = load.paths[index]!;
        const { headers } = await exchange(agent, reads, path, index);
        tags.set(new URL(load.url).host + path, String(headers['service-resource-etag']));
      }
    }),
  );
}

/** Where each connection stands in its share of the paths, from run to run. */
const places = new Map<string, number>();

async function run(load: Load): Promise<Throughput> {
  const agent = agentFor(load);
  const startedAt = performance.now();
  const endsAt = startedAt + load.seconds * 1_000;
  const durations: number[] = [];
  let bytes = 0;
  const connection = async (number: number): Promise<void> => {
    const place = `${load.url} ${load.method} ${number}`;
    for (let index = places.get(place) ?? number; performance.now() < endsAt; index += load.connections) {
      const path = load.paths[index % load.paths.length]!;
      const sentAt = performance.now();
      const received = await exchangeAndCheck(agent, load, path, index);
      bytes += received;
      durations.push(performance.now() - sentAt);
      places.set(place, index + load.connections);
    }
  };
  await Promise.all(Array.from({ length: load.connections }, (_, number) => connection(number)));
  const seconds = (performance.now() - startedAt) / 1_000;
  durations.sort((one, other) => one - other);
  const at = (share: number): number => durations[Math.min(durations.length - 1, Math.floor(durations.length * share))] ?? 0;
  return {
    requests: durations.length,
    perSecond: durations.length / seconds,
    bytesPerAnswer: bytes / durations.length,
    median: at(0.5),
    percentile99: at(0.99),
  };
}

answerParent({ run, learnTags });
