import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerParent, processorSeconds } from './answer.js';
import { COUNTS_PATH } from './counts-path.js';

/** A delivery that has come. */
export interface Reception {
  readonly path: string;
  /** What its event is about. */
  readonly resourceId: string;
  /** Milliseconds since 1970: when the event was recorded, and when all of the delivery had come. */
  readonly recordedAt: number;
  readonly at: number;
}

const counts = new Map<string, number>();
const held = new Set<ServerResponse>();
let hanging: string | null = null;
let receptions: Reception[] = [];
let isNoting = false;

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const path = request.url ?? '';
  if (path === COUNTS_PATH) {
    response.end(JSON.stringify(Object.fromEntries(counts)));
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('error', () => undefined);
  request.on('end', () => {
    counts.set(path, (counts.get(path) ?? 0) + 1);
    if (isNoting) receptions.push(receptionOf(path, Buffer.concat(chunks).toString()));
    if (path !== hanging) return void response.writeHead(200).end();
    held.add(response);
    response.once('close', () => held.delete(response));
  });
});

function receptionOf(path: string, body: string): Reception {
  const at = Date.now();
  const { occurred_at: occurredAt, data } = JSON.parse(body) as { occurred_at: string; data: { id: string } };
  return { path, resourceId: data.id, recordedAt: Date.parse(occurredAt), at };
}

/** Listens; gives the URL without a slash at its end. */
async function start(): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** From here on notes are taken of what comes; gives those taken so far, and forgets them. */
function note({ on }: { on: boolean }): readonly Reception[] {
  const noted = receptions;
  receptions = [];
  isNoting = on;
  return noted;
}

/** Answers nothing on this path any more; with null, all paths are answered again, and what hung is broken off. */
function hang({ path }: { path: string | null }): void {
  hanging = path;
  for (const response of held) response.destroy();
}

answerParent({ start, note, hang, processorSeconds }, async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
