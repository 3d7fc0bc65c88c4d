import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPool } from '#database/pool.js';
import { chain } from '#event-store/new-events.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { answerParent } from './answer.js';

/** How events are recorded for the endpoints. */
export interface Feed {
  readonly databaseUrl: string;
  readonly organisationId: string;
  readonly endpoints: number;
  readonly seconds: number;
}

/** Deliveries of one organisation beside those of others whose receivers hang. */
export interface Neighbours {
  readonly databaseUrl: string;
  readonly organisationId: string;
  readonly hangingOrganisationIds: readonly string[];
  /** Hanging endpoints of all those organisations together. */
  readonly hangingEndpoints: number;
  /** Events to deliver, one after the other. */
  readonly events: number;
}

/** At most so many events that have not come everywhere: below the 500 that may wait for an endpoint. */
const IN_FLIGHT = 300;
/**
 * One org unit: its creation and nine changes. The read table of longer streams would cost more than the
 * deliveries.
 */
const EVENTS_OF_A_UNIT = 10;
const POLL_MILLISECONDS = 10;
/** From the first event until the worker has as much in progress as it ever has. */
const STEADY_MILLISECONDS = 500;

/** Requests below it get no response. */
const HANGING_PATH = '/hanging';

/** Deliveries by the path of the endpoint. */
const counts = new Map<string, number>();
const server = createServer({ keepAliveTimeout: 60_000 }, ({ url = '' }, response) => {
  counts.set(url, (counts.get(url) ?? 0) + 1);
  if (!url.startsWith(HANGING_PATH)) response.writeHead(200).end();
});

/** Listens; gives the URL without a slash at its end. Endpoints have the paths `/0`, `/1` and so on. */
async function start(): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/**
 * Records events for some seconds, as many as may be in flight; gives the deliveries a second that came
 * meanwhile. All have come then.
 */
async function deliveries({ databaseUrl, organisationId, endpoints, seconds }: Feed): Promise<number> {
  const pool = createPool(databaseUrl, { applicationName: 'bench events', maximum: 1 });
  const store = new PostgresEventStore(pool);
  const paths = Array.from({ length: endpoints }, (_, number) => `/${number}`);
  const before = paths.map((path) => counts.get(path) ?? 0);
  const arrived = (): readonly number[] => paths.map((path, number) => (counts.get(path) ?? 0) - before[number]!);
  const all = (): number => arrived().reduce((sum, own) => sum + own, 0);
  const startedAt = performance.now();
  const from = startedAt + STEADY_MILLISECONDS;
  let recorded = 0;
  let first: { readonly at: number; readonly count: number } | null = null;
  while (performance.now() < from + seconds * 1_000) {
    if (first === null && performance.now() >= from) first = { at: performance.now(), count: all() };
    if (recorded + EVENTS_OF_A_UNIT - Math.min(...arrived()) > IN_FLIGHT) await pause();
    else {
      const stream = `org-unit-${organisationId}.${randomUUID()}`;
      await store.append(stream, 'none', unit(stream));
      recorded += EVENTS_OF_A_UNIT;
    }
  }
  const perSecond = (all() - first!.count) / ((performance.now() - first!.at) / 1_000);
  while (Math.min(...arrived()) < recorded) await pause();
  await store.close();
  await pool.end();
  return perSecond;
}

/**
 * Milliseconds from the append of each event to the arrival of its delivery at `/0`, while the receivers of
 * other organisations hang.
 */
async function delays(neighbours: Neighbours): Promise<readonly number[]> {
  const { databaseUrl, organisationId, hangingOrganisationIds, hangingEndpoints, events } = neighbours;
  const pool = createPool(databaseUrl, { applicationName: 'bench events', maximum: 1 });
  const store = new PostgresEventStore(pool);
  const record = async (organisation: string, number: number): Promise<void> => {
    const stream = `org-unit-${organisation}.${randomUUID()}`;
    await store.append(stream, 'none', unit(stream, number));
  };
  const hang = async (): Promise<void> => {
    for (const organisation of hangingOrganisationIds) await record(organisation, EVENTS_OF_A_UNIT);
  };
  const hung = (): number =>
    [...counts].reduce((sum, [path, number]) => sum + (path.startsWith(HANGING_PATH) ? number : 0), 0);
  await hang();
  while (hung() < hangingEndpoints) await pause();
  await hang();
  const milliseconds: number[] = [];
  while (milliseconds.length < events) {
    const before = counts.get('/0') ?? 0;
    const recordedAt = performance.now();
    await record(organisationId, 1);
    while ((counts.get('/0') ?? 0) === before) await pause();
    milliseconds.push(performance.now() - recordedAt);
  }
  await store.close();
  await pool.end();
  return milliseconds;
}

function unit(stream: string, count = EVENTS_OF_A_UNIT) {
  const metadata = {
    schema_version: 1,
    actor: { type: 'operator', id: 'bench' },
    request_id: null,
    idempotency_key: null,
    fingerprint: null,
    causation_id: null,
  } as const;
  const created = { name: `Unit ${randomUUID()}`, code: null, parent_id: null, head_id: null };
  const events = Array.from({ length: count }, (_, number) => ({
    id: randomUUID(),
    ...(number === 0
      ? { type: 'OrgUnitCreated', data: created }
      : { type: 'OrgUnitChanged', data: { changes: { code: `C${number}` } } }),
    metadata,
  }));
  return chain(stream, null, events);
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
}

answerParent({ start, deliveries, delays });
