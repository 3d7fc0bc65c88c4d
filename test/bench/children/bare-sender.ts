import { randomBytes, randomUUID } from 'node:crypto';
import { Agent, request as send } from 'node:http';
import { envelopeOf } from '#webhooks/deliver/envelope.js';
import { signedHeaders } from '#webhooks/send/signature.js';
import { answerParent } from './answer.js';

/** What is sent in no particular order. */
export interface BareSending {
  readonly receiverUrl: string;
  readonly paths: readonly string[];
  /** Requests at once, over all paths. */
  readonly connections: number;
  readonly seconds: number;
}

const SECRET = `whsec_${randomBytes(32).toString('base64')}`;
const agent = new Agent({ keepAlive: true });

/** Posts signed envelopes one after the other on every connection, without a database; gives those a second that were answered with 200. */
async function run({ receiverUrl, paths, connections, seconds }: BareSending): Promise<number> {
  const url = new URL(receiverUrl);
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;
  let count = 0;
  const connection = async (number: number): Promise<void> => {
    while (performance.now() < endsAt) {
      await post(url, paths[number % paths.length]!);
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, number) => connection(number)));
  return count / ((performance.now() - startedAt) / 1_000);
}

function post(url: URL, path: string): Promise<void> {
  const eventId = `evt_${randomUUID()}`;
  const type = 'org_unit.updated';
  const now = new Date();
  const body = JSON.stringify(
    envelopeOf({ id: eventId, type, occurredAt: now.toISOString(), resourceId: `org_unit_${randomUUID()}`, resourceType: 'org_unit' }),
  );
  const signed = signedHeaders({
    eventId,
    deliveryId: `whd_${randomUUID()}`,
    eventType: type,
    timestamp: Math.floor(now.getTime() / 1_000),
    body,
    secrets: [SECRET],
  });
  const headers = { ...signed, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const request = send({ agent, host: url.hostname, port: url.port, method: 'POST', path, headers }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode === 200 ? resolve() : reject(new Error(`the receiver answered ${response.statusCode}`)),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(body);
  });
}

answerParent({ run });
