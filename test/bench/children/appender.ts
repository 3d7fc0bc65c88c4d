import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Pool } from 'pg';
import { createPool } from '#database/pool.js';
import { chain } from '#event-store/new-events.js';
import { PostgresEventStore } from '#event-store/postgres/postgres-event-store.js';
import { answerParent } from './answer.js';

/** How appends are made. */
export interface AppendLoad {
  readonly writers: number;
  readonly seconds: number;
}

/** Appends one event to the end of a writer's own stream; begins it for the first time. */
type Writer = () => Promise<void>;

/** The part of Emmett's event store that is measured. */
interface EmmettStore {
  appendToStream(
    stream: string,
    events: readonly object[],
    options: { readonly expectedStreamVersion: unknown },
  ): Promise<{ readonly nextExpectedStreamVersion: bigint }>;
}

const DATA = {
  fact_id: 'ef_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA',
  start_date: '2024-02-29',
  terms: { job_title: 'Engineer', contracted_weekly_minutes: 2_250 },
};
let newWriter: () => Writer;

/** Prepares to append through the product's port. */
function openProduct({ databaseUrl, connections }: { databaseUrl: string; connections: number }): void {
  const store = new PostgresEventStore(poolOf(databaseUrl, connections));
  newWriter = () => {
    const stream = `employment-org_AAAAAAAA.${randomUUID()}`;
    let expected: number | 'none' = 'none';
    let previous: string | null = null;
    return async () => {
      const events = chain(stream, previous, [
        { id: randomUUID(), type: 'EmploymentChanged', data: DATA, metadata: metadata() },
      ]);
      expected = (await store.append(stream, expected, events)).revision;
      previous = events[0]!.metadata.hash;
    };
  };
}

/** Prepares to append to Emmett's event store, which is installed in that directory. */
async function openEmmett({
  databaseUrl,
  connections,
  directory,
}: {
  databaseUrl: string;
  connections: number;
  directory: string;
}) {
  const path = createRequire(resolve(directory, 'package.json')).resolve('@event-driven-io/emmett-postgresql');
  const { getPostgreSQLEventStore } = (await import(pathToFileURL(join(path, '..', 'index.js')).href)) as {
    getPostgreSQLEventStore(
      url: string,
      options: object,
    ): EmmettStore & { readonly schema: { migrate(): Promise<unknown> } };
  };
  const store = getPostgreSQLEventStore(databaseUrl, { connectionOptions: { pool: poolOf(databaseUrl, connections) } });
  await store.schema.migrate();
  newWriter = () => {
    const stream = `employment-${randomUUID()}`;
    let expectedStreamVersion: unknown = 'STREAM_DOES_NOT_EXIST';
    return async () => {
      const event = { type: 'EmploymentChanged', data: DATA, metadata: metadata() };
      expectedStreamVersion = (await store.appendToStream(stream, [event], { expectedStreamVersion }))
        .nextExpectedStreamVersion;
    };
  };
}

function poolOf(databaseUrl: string, maximum: number): Pool {
  return createPool(databaseUrl, { applicationName: 'bench appends', maximum });
}

function metadata() {
  return {
    schema_version: 1,
    actor: { type: 'api_key', id: 'key_AAAAAAAA.AAAAAAAA.AAAAAAAAAAAA' },
    request_id: 'req_AAAAAAAAAAAAAAAA.1',
    idempotency_key: randomUUID(),
    fingerprint: 'f'.repeat(64),
    causation_id: null,
  } as const;
}

/** Gives appends per second, each of one event and each waited for by its writer until it is on the disk. */
async function run({ writers, seconds }: AppendLoad): Promise<number> {
  const startedAt = performance.now();
  let count = 0;
  const write = async (append: Writer): Promise<void> => {
    while (performance.now() < startedAt + seconds * 1_000) {
      await append();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: writers }, () => write(newWriter())));
  return count / ((performance.now() - startedAt) / 1_000);
}

answerParent({ openProduct, openEmmett, run });
