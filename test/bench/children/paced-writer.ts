import { randomUUID } from 'node:crypto';
import { Agent, type IncomingHttpHeaders, request as send } from 'node:http';
import { answerParent } from './answer.js';

/** Changes of people at a set pace, whatever the answers take. */
export interface PacedWrites {
  readonly url: string;
  readonly apiKey: string;
  /** Each is changed once. */
  readonly personIds: readonly string[];
  readonly perSecond: number;
}

/** When each person's request was sent, in milliseconds since 1970. */
export type SentTimes = Readonly<Record<string, number>>;

const agent = new Agent({ keepAlive: true });

async function run(load: PacedWrites): Promise<SentTimes> {
  const tags = await tagsOf(load);
  const startedAt = performance.now();
  const sent: Record<string, number> = {};
  const answers: Promise<unknown>[] = [];
  for (const [number, id] of load.personIds.entries()) {
    const wait = (number * 1_000) / load.perSecond - (performance.now() - startedAt);
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    sent[id] = Date.now();
    answers.push(exchange(load, 'PATCH', id, { 'if-match': tags.get(id)!, 'idempotency-key': randomUUID() }));
  }
  await Promise.all(answers);
  return sent;
}

async function tagsOf(load: PacedWrites): Promise<ReadonlyMap<string, string>> {
  const tags = new Map<string, string>();
  for (const id of load.personIds) tags.set(id, String((await exchange(load, 'GET', id, {}))['service-resource-etag']));
  return tags;
}

function exchange(
  { url, apiKey }: PacedWrites,
  method: 'GET' | 'PATCH',
  id: string,
  more: Readonly<Record<string, string>>,
): Promise<IncomingHttpHeaders> {
  const body = method === 'PATCH' ? JSON.stringify({ staff_id: `S${randomUUID().slice(0, 8)}` }) : '';
  const headers = {
    authorization: `Bearer ${apiKey}`,
    ...(body === '' ? {} : { 'content-type': 'application/json', 'content-length': body.length }),
    ...more,
  };
  return new Promise((resolve, reject) => {
    const request = send(`${url}/people/${id}`, { agent, method, headers }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200
          ? resolve(response.headers)
          : reject(new Error(`${method} of a person answered ${response.statusCode}`)),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

answerParent({ run });
