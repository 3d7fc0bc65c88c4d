import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { createPool } from '#database/pool.js';
import { answerParent } from './answer.js';
import {
  BELIEFS_ON,
  IN_A_TRANSACTION,
  insertsOf,
  insertStatementsOf,
  ONE_PERSON,
  SOME_FOUND,
  SOME_SPELT,
  SOME_PEOPLE,
  SOME_TIME_OFF,
  type WrittenRows,
} from './bare-statements.js';

/** Where the bare server listens and what it needs to know. */
export interface BareSettings {
  readonly databaseUrl: string;
  /** Connections to the database at most. */
  readonly connections: number;
  readonly organisationId: string;
  readonly writes: { readonly patch: WrittenRows; readonly person: WrittenRows; readonly timeOff: WrittenRows };
}

let stop = (): Promise<void> => Promise.resolve();

/** A server that checks nothing and serialises nothing: one prepared statement, whose texts it sends as they are stored. */
async function start({ databaseUrl, connections, organisationId, writes }: BareSettings): Promise<string> {
  const pool = createPool(databaseUrl, { applicationName: 'bench bare', maximum: connections });
  const server = Fastify({ logger: false });
  routeReads(server, pool, organisationId);
  routeWrites(server, pool, writes);
  stop = async () => {
    await server.close();
    await pool.end();
  };
  return server.listen({ host: '127.0.0.1', port: 0 });
}

async function texts(pool: Pool, name: string, text: string, values: readonly string[]): Promise<readonly string[]> {
  const { rows } = await pool.query<[string]>({ name, text, values: [...values], rowMode: 'array' });
  return rows.map(([body]) => body);
}

function send(reply: FastifyReply, body: string): FastifyReply {
  return reply.header('content-type', 'application/json; charset=utf-8').send(body);
}

function sendList(reply: FastifyReply, bodies: readonly string[]): FastifyReply {
  return send(reply, `{"data":[${bodies.join(',')}]}`);
}

function routeReads(server: FastifyInstance, pool: Pool, organisationId: string): void {
  // Who changes a person reads them first, for the entity tag.
  for (const path of ['/people/:id', `${IN_A_TRANSACTION}/people/:id`])
    server.get<{ Params: { id: string } }>(path, async ({ params: { id } }, reply) =>
      send(reply, `{"data":${(await texts(pool, 'one', ONE_PERSON, [organisationId, id]))[0]!}}`),
    );
  server.get<{ Querystring: { created_at: string; id: string } }>('/people', async ({ query: { created_at, id } }, reply) =>
    sendList(reply, await texts(pool, 'some', SOME_PEOPLE, [organisationId, created_at, id])),
  );
  server.get<{ Querystring: { word: string } }>('/search', async ({ query: { word } }, reply) =>
    sendList(reply, await texts(pool, 'found', SOME_FOUND, [organisationId, `% ${word}%`])),
  );
  server.get<{ Querystring: { word: string } }>('/search-by-trigrams', async ({ query: { word } }, reply) =>
    sendList(reply, await texts(pool, 'spelt', SOME_SPELT, [organisationId, `% ${word}%`])),
  );
  server.get<{ Querystring: { from: string; id: string; to: string } }>('/time-off', async ({ query: { from, id, to } }, reply) =>
    sendList(reply, await texts(pool, 'window', SOME_TIME_OFF, [organisationId, from, id, to])),
  );
  server.get<{ Params: { id: string }; Querystring: { as_of: string } }>('/people/:id/timeline', async ({ params, query }, reply) =>
    sendList(reply, await texts(pool, 'beliefs', BELIEFS_ON, [organisationId, params.id, query.as_of])),
  );
}

function routeWrites(server: FastifyInstance, pool: Pool, { patch, person, timeOff }: BareSettings['writes']): void {
  server.patch('/people/:id', inOneStatement(pool, 'patch', patch));
  server.patch(`${IN_A_TRANSACTION}/people/:id`, inATransaction(pool, 'patch', patch));
  server.post('/people', inOneStatement(pool, 'person', person));
  server.post('/time-off', inOneStatement(pool, 'time_off_record', timeOff));
  server.post(`${IN_A_TRANSACTION}/time-off`, inATransaction(pool, 'time_off_record', timeOff));
}

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;

function inOneStatement(pool: Pool, name: string, rows: WrittenRows): Handler {
  const text = insertsOf(name, rows);
  return async (request, reply) => {
    await pool.query({ name, text, values: [request.headers['idempotency-key']] });
    return send(reply, rows.answer);
  };
}

/** Begin, an insert for each table, commit: each a message of its own, the inserts prepared. */
function inATransaction(pool: Pool, name: string, rows: WrittenRows): Handler {
  const { before, receipt } = insertStatementsOf(name, rows);
  return async (request, reply) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      for (const [number, text] of before.entries()) await client.query({ name: `${name} ${number}`, text });
      await client.query({ name: `${name} receipt`, text: receipt, values: [request.headers['idempotency-key']] });
      await client.query('commit');
    } catch (error) {
      client.release(true);
      throw error;
    }
    client.release();
    return send(reply, rows.answer);
  };
}

answerParent({ start }, () => stop());
