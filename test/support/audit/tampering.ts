import { randomUUID } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { chain, type UnchainedEvent } from '#event-store/new-events.js';
import type { EventMetadata } from '#event-store/event-store.js';
import type { JsonObject } from '#kernel/json.js';

/** An event as stored in its row. */
export interface EventRow {
  readonly stream: string;
  readonly revision: number;
  readonly event_id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: EventMetadata;
  readonly transaction_id: string;
  readonly position: string;
}

/** A manual change of history, with the database's triggers off. `chance` is any number. */
export interface Tampering {
  readonly name: string;
  /**
   * Whether it applies to this event of this stream; `log`: all events under consideration, in their order.
   */
  readonly suits: (event: EventRow, stream: readonly EventRow[], log: readonly EventRow[]) => boolean;
  /** Makes the change and returns where the audit must find it: a revision, or null for the whole stream. */
  readonly edit: (
    connection: PoolClient,
    event: EventRow,
    stream: readonly EventRow[],
    chance: number,
  ) => Promise<{ readonly stream: string; readonly revision: number | null }>;
  /** Whether it leaves no trace in the chain, so that only an anchor reveals it. */
  readonly needsAnchor?: true;
}

const always = (): boolean => true;
const isLast = (event: EventRow, stream: readonly EventRow[]): boolean => event.revision === stream.length - 1;
/** An event that is moved behind the last one must leave an earlier place of the log. */
const isFollowed = (event: EventRow, log: readonly EventRow[]): boolean => event !== log.at(-1);
const isInside = (event: EventRow, stream: readonly EventRow[]): boolean => !isLast(event, stream);

function column(name: string, expression: string): Tampering {
  return {
    name,
    suits: always,
    edit: async (connection, { stream, revision }, _, chance) => {
      await connection.query(
        `update events set ${expression} where stream = $1 and revision = $2 and $3::bigint is not null`,
        [stream, revision, chance],
      );
      return { stream, revision };
    },
  };
}

/** All manual changes. */
export const TAMPERINGS: readonly Tampering[] = [
  column('change data', `data = (data::jsonb || jsonb_build_object('title', $3::bigint))::json`),
  // The data of an approval is already empty.
  { ...column('empty data', `data = '{}'`), suits: ({ data }) => Object.keys(data).length > 0 },
  column(
    'change who did it',
    `metadata = jsonb_set(metadata::jsonb, '{actor,id}', to_jsonb('somebody else ' || $3::bigint))::json`,
  ),
  column(
    'change the request',
    `metadata = jsonb_set(metadata::jsonb, '{request_id}', to_jsonb('request ' || $3::bigint))::json`,
  ),
  column('break metadata', `metadata = (array['null', '[]', '{}', '1'])[1 + $3::bigint % 4]::json`),
  column('change the type', `type = type || 'ed'`),
  column('change the id', `event_id = gen_random_uuid()`),
  column(
    'change the hash',
    `metadata = jsonb_set(metadata::jsonb, '{hash}', to_jsonb(encode(sha256($3::text::bytea), 'hex')))::json`,
  ),
  column('hide from the log', `transaction_id = '9000000000000'`),
  {
    ...column('change the time', `recorded_at = recorded_at - make_interval(secs => 1 + $3::bigint % 100000)`),
    needsAnchor: true,
  },
  {
    name: 'move to another stream',
    suits: always,
    edit: async (connection, { stream, revision }) => {
      await connection.query(`update events set stream = stream || 'x' where stream = $1 and revision = $2`, [
        stream,
        revision,
      ]);
      return { stream: `${stream}x`, revision };
    },
  },
  {
    name: 'rename a stream',
    suits: always,
    edit: async (connection, { stream, revision }) => {
      await connection.query(`update events set stream = stream || 'y' where stream = $1`, [stream]);
      return { stream: `${stream}y`, revision };
    },
  },
  {
    name: 'delete',
    suits: isInside,
    edit: async (connection, { stream, revision }) => {
      await connection.query('delete from events where stream = $1 and revision = $2', [stream, revision]);
      return { stream, revision };
    },
  },
  {
    name: 'delete and close the gap',
    suits: isInside,
    edit: async (connection, { stream, revision }) => {
      await connection.query('delete from events where stream = $1 and revision = $2', [stream, revision]);
      await shift(connection, stream, revision + 1, -1);
      return { stream, revision };
    },
  },
  {
    name: 'truncate',
    suits: (event) => event.revision > 0,
    edit: async (connection, { stream, revision }) => {
      await connection.query('delete from events where stream = $1 and revision >= $2', [stream, revision]);
      return { stream, revision };
    },
  },
  {
    name: 'delete a stream',
    suits: always,
    edit: async (connection, { stream }) => {
      await connection.query('delete from events where stream = $1', [stream]);
      return { stream, revision: null };
    },
  },
  {
    name: 'append something forged',
    suits: isLast,
    edit: async (connection, event, stream, chance) => {
      const metadata = {
        ...event.metadata,
        hash: event.metadata.previous_hash ?? 'none',
        previous_hash: event.metadata.hash,
      };
      await insert(connection, {
        ...event,
        event_id: randomUUID(),
        revision: stream.length,
        data: { forged: chance },
        metadata,
      });
      return { stream: event.stream, revision: stream.length };
    },
  },
  {
    name: 'put something in between',
    suits: isInside,
    edit: async (connection, event, _, chance) => {
      await shift(connection, event.stream, event.revision + 1, 1);
      const [forged] = chain(event.stream, event.metadata.hash, [unchained(event, { forged: chance })]);
      await insert(connection, {
        ...event,
        event_id: forged!.id,
        revision: event.revision + 1,
        data: forged!.data,
        metadata: forged!.metadata,
      });
      return { stream: event.stream, revision: event.revision + 2 };
    },
  },
  {
    name: 'exchange two',
    suits: isInside,
    edit: async (connection, { stream, revision }) => {
      await connection.query('update events set revision = -1 - revision where stream = $1 and revision in ($2, $3)', [
        stream,
        revision,
        revision + 1,
      ]);
      await connection.query(
        'update events set revision = $2::bigint + $3::bigint + 1 + revision where stream = $1 and revision < 0',
        [stream, revision, revision + 1],
      );
      return { stream, revision };
    },
  },
  {
    name: 'change and take all hashes anew',
    needsAnchor: true,
    suits: always,
    edit: async (connection, event, stream, chance) => {
      await rewrite(
        connection,
        stream,
        stream.map((one) => (one === event ? { ...one, data: { ...one.data, title: chance } } : one)),
      );
      return { stream: event.stream, revision: event.revision };
    },
  },
  {
    name: 'delete and take all hashes anew',
    needsAnchor: true,
    suits: isInside,
    edit: async (connection, event, stream) => {
      await rewrite(
        connection,
        stream,
        stream.filter((one) => one !== event),
      );
      return { stream: event.stream, revision: event.revision };
    },
  },
  {
    name: 'insert and take all hashes anew',
    needsAnchor: true,
    suits: isInside,
    edit: async (connection, event, stream, chance) => {
      await rewrite(
        connection,
        stream,
        stream.flatMap((one) =>
          one === event ? [{ ...one, event_id: randomUUID(), data: { forged: chance } }, one] : [one],
        ),
      );
      return { stream: event.stream, revision: event.revision };
    },
  },
  {
    name: 'append with a right hash, in an old place of the log',
    needsAnchor: true,
    suits: (event, stream, log) => isLast(event, stream) && isFollowed(event, log),
    edit: async (connection, event, stream, chance) => {
      const [forged] = chain(event.stream, event.metadata.hash, [unchained(event, { forged: chance })]);
      await insert(connection, {
        ...event,
        event_id: forged!.id,
        revision: stream.length,
        data: forged!.data,
        metadata: forged!.metadata,
      });
      return { stream: event.stream, revision: stream.length };
    },
  },
  {
    name: 'begin a stream, in an old place of the log',
    needsAnchor: true,
    suits: (event, _, log) => isFollowed(event, log),
    edit: async (connection, event, _, chance) => {
      const stream = `${event.stream}z`;
      const [forged] = chain(stream, null, [unchained(event, { forged: chance })]);
      await insert(connection, {
        ...event,
        stream,
        event_id: forged!.id,
        revision: 0,
        data: forged!.data,
        metadata: forged!.metadata,
      });
      return { stream, revision: 0 };
    },
  },
  {
    name: 'move to an earlier place of the log',
    needsAnchor: true,
    suits: (event) => event.revision > 0,
    edit: async (connection, { stream, revision }) => {
      await connection.query(`update events set transaction_id = '1' where stream = $1 and revision = $2`, [
        stream,
        revision,
      ]);
      // The first event of the log is now behind it.
      const { rows } = await connection.query<{ stream: string; revision: string }>(
        `select stream, revision from events where transaction_id > '1' order by transaction_id, position limit 1`,
      );
      return { stream: rows[0]!.stream, revision: Number(rows[0]!.revision) };
    },
  },
];

/** Runs an edit without triggers, as an attacker with all rights would. Returns the result of the edit. */
export async function tamper<Result>(pool: Pool, edit: (connection: PoolClient) => Promise<Result>): Promise<Result> {
  const connection = await pool.connect();
  try {
    await connection.query('set session_replication_role = replica');
    return await edit(connection);
  } finally {
    await connection.query('reset session_replication_role');
    connection.release();
  }
}

async function shift(connection: PoolClient, stream: string, from: number, by: number): Promise<void> {
  // Through negative numbers, so that no two rows ever have the same key.
  await connection.query('update events set revision = -1 - revision where stream = $1 and revision >= $2', [
    stream,
    from,
  ]);
  await connection.query('update events set revision = -1 - revision + $2 where stream = $1 and revision < 0', [
    stream,
    by,
  ]);
}

function unchained({ type, metadata }: EventRow, data: JsonObject): UnchainedEvent {
  const { hash: _, previous_hash: __, ...rest } = metadata;
  return { id: randomUUID(), type, data, metadata: rest };
}

async function rewrite(connection: PoolClient, before: readonly EventRow[], after: readonly EventRow[]): Promise<void> {
  const { stream } = before[0]!;
  const events = chain(
    stream,
    null,
    after.map((event) => ({ ...unchained(event, event.data), id: event.event_id })),
  );
  await connection.query(
    `create temp table rewritten as select * from events where stream = $1`.replace('$1', `'${stream}'`),
  );
  await connection.query('delete from events where stream = $1', [stream]);
  for (const [revision, event] of events.entries())
    await insert(connection, {
      ...after[revision]!,
      event_id: event.id,
      revision,
      data: event.data,
      metadata: event.metadata,
    });
  await connection.query(
    'update events e set recorded_at = r.recorded_at from rewritten r where e.stream = r.stream and e.event_id = r.event_id',
  );
  await connection.query('drop table rewritten');
}

async function insert(connection: PoolClient, event: EventRow): Promise<void> {
  await connection.query(
    `insert into events (stream, revision, event_id, type, data, metadata, transaction_id, position, recorded_at)
     overriding system value values ($1, $2, $3, $4, $5, $6, $7, $8, now())`,
    [
      event.stream,
      event.revision,
      event.event_id,
      event.type,
      JSON.stringify(event.data),
      JSON.stringify(event.metadata),
      event.transaction_id,
      event.position,
    ],
  );
}
