import { randomUUID } from 'node:crypto';
import { createPool } from '#database/pool.js';
import type { NewEvent } from '#event-store/event-store.js';
import { chain } from '#event-store/new-events.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { answerParent } from './answer.js';

/** How appends are made. */
export interface AppendLoad {
  readonly databaseUrl: string;
  readonly writers: number;
  readonly seconds: number;
  /** `new`: every append begins a stream; `grow`: every writer appends to the end of one stream of its own. */
  readonly streams: 'new' | 'grow';
}

const ORGANISATION = 'org_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA';

function event(stream: string, previousHash: string | null): readonly NewEvent[] {
  const metadata = {
    schema_version: 1,
    actor: { type: 'api_key', id: 'key_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA' },
    request_id: 'req_AAAAAAAAAAAAAAAA.1',
    idempotency_key: randomUUID(),
    fingerprint: 'f'.repeat(64),
    causation_id: null,
  } as const;
  const data = {
    fact_id: 'emf_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA',
    start_date: '2024-02-29',
    terms: { job_title: 'Engineer', contracted_weekly_minutes: 2_250 },
  };
  return chain(stream, previousHash, [{ id: randomUUID(), type: 'EmploymentChanged', data, metadata }]);
}

/** Gives appends per second, each of one event and each waited for by its writer until it is on the disk. */
async function run(load: AppendLoad): Promise<number> {
  const pool = createPool(load.databaseUrl, { applicationName: 'bench appends', maximum: load.writers });
  const store = new PostgresEventStore(pool);
  const startedAt = performance.now();
  const endsAt = startedAt + load.seconds * 1_000;
  let count = 0;
  const writer = async (): Promise<void> => {
    let stream = '';
    let revision: number | 'none' = 'none';
    let hash: string | null = null;
    while (performance.now() < endsAt) {
      if (load.streams === 'new' || revision === 'none') {
        [stream, revision, hash] = [`bench-${ORGANISATION}.${randomUUID()}`, 'none', null];
      }
      const events = event(stream, hash);
      revision = (await store.append(stream, revision, events)).revision;
      hash = events[0]!.metadata.hash;
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: load.writers }, writer));
  const perSecond = count / ((performance.now() - startedAt) / 1_000);
  await store.close();
  await pool.end();
  return perSecond;
}

answerParent({ run });
