import { percentile, randomNumbers } from '../measure/statistics.js';
import { answerParent, processorSeconds } from './answer.js';
import { Connection } from './connection.js';
import type { Load, Throughput } from './load.js';
import { readRequests, RequestWriter, toolRequests } from './requests.js';

/** One load with its connections: which request comes next, and what is learned from an answer. */
interface Prepared {
  readonly connections: readonly Connection[];
  /** The request that a connection sends next. */
  readonly next: (connection: number) => Buffer | string;
  readonly learn: ((connection: number, head: string) => void) | null;
}

const SEED = 20_260_101;
const prepared = new Map<string, Prepared>();

/** Opens the connections of a load, which later runs name. Entity tags are read first where they are needed. */
async function prepare({ name, load }: { name: string; load: Load }): Promise<void> {
  const connections = await Promise.all(Array.from({ length: load.connections }, () => Connection.open(load.url)));
  const { work } = load;
  if (work.kind === 'reads' || work.kind === 'tool-reads') {
    const requests = work.kind === 'reads' ? readRequests(load, work.paths) : toolRequests(load, work.personIds);
    const random = randomNumbers(SEED);
    prepared.set(name, { connections, next: () => requests[Math.floor(random() * requests.length)]!, learn: null });
    return;
  }
  const writer = new RequestWriter(load);
  if (work.kind === 'patches') await learnTags(writer, readRequests(load, work.paths), connections);
  prepared.set(name, {
    connections,
    next: (connection) => writer.next(connection),
    learn: (connection, head) => writer.learn(connection, head),
  });
}

async function learnTags(writer: RequestWriter, reads: readonly Buffer[], connections: readonly Connection[]): Promise<void> {
  await Promise.all(
    connections.map(async (connection, number) => {
      for (let index = number; index < reads.length; index += connections.length) {
        writer.keepTag(index, (await connection.ask(reads[index]!)).head);
      }
    }),
  );
}

/** Sends so many requests over all connections of a load, or as many as are answered in some seconds. */
async function run({
  name,
  requests = Infinity,
  seconds = Infinity,
}: {
  name: string;
  requests?: number;
  seconds?: number;
}): Promise<Throughput> {
  const { connections, next, learn } = prepared.get(name)!;
  const durations: number[] = [];
  let sent = 0;
  let bytes = 0;
  const processorBefore = processorSeconds();
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  await Promise.all(
    connections.map(async (connection, number) => {
      for (let sentAt = startedAt; sent < requests && sentAt < endsAt;) {
        sent += 1;
        const answer = await connection.ask(next(number));
        const answeredAt = performance.now();
        durations.push(answeredAt - sentAt);
        sentAt = answeredAt;
        bytes += answer.bytes;
        learn?.(number, answer.head);
      }
    }),
  );
  const taken = (performance.now() - startedAt) / 1_000;
  const generator = ((processorSeconds() - processorBefore) * 1_000_000) / sent;
  return {
    requests: sent,
    seconds: taken,
    bytesPerAnswer: bytes / sent,
    median: percentile(durations, 0.5),
    percentile99: percentile(durations, 0.99),
    longest: percentile(durations, 1),
    generator,
  };
}

/** Closes the connections of a load. */
function forget({ name }: { name: string }): void {
  for (const connection of prepared.get(name)?.connections ?? []) connection.close();
  prepared.delete(name);
}

answerParent({ prepare, run, forget });
