import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import { createPool } from '#database/pool.js';
import { answerParent, processorSeconds } from './answer.js';
import {
  APPEND_EVENT,
  APPEND_RECEIPT,
  ONE_ROW,
  ROW_SCHEMA,
  SOME_ROWS,
  SOME_TIME_OFF,
  type Sample,
  TIME_OFF_SCHEMA,
} from './bare-statements.js';

let stop = (): Promise<void> => Promise.resolve();

/** A server that checks nothing: one prepared statement, one serialiser, or one transaction of two inserts. */
async function start({ databaseUrl, connections, sample }: { databaseUrl: string; connections: number; sample: Sample }): Promise<string> {
  const pool = createPool(databaseUrl, { applicationName: 'bench bare', maximum: connections });
  const server = Fastify({ logger: false });
  routeReads(server, pool, sample.organisationId);
  routeTimeOff(server, pool, sample.organisationId);
  routeWrites(server, pool, sample);
  stop = async () => {
    await server.close();
    await pool.end();
  };
  return server.listen({ host: '127.0.0.1', port: 0 });
}

function routeReads(server: FastifyInstance, pool: Pool, organisationId: string): void {
  const one = { schema: { response: { 200: ROW_SCHEMA } } };
  server.get<{ Params: { id: string } }>('/people/:id', one, async (request) => {
    const { rows } = await pool.query<object>({ name: 'one', text: ONE_ROW, values: [organisationId, request.params.id] });
    return rows[0];
  });
  const many = { schema: { response: { 200: { type: 'array', items: ROW_SCHEMA } } } };
  server.get('/people', many, async () => {
    const { rows } = await pool.query<object>({ name: 'some', text: SOME_ROWS, values: [organisationId, 100] });
    return rows;
  });
}

function routeTimeOff(server: FastifyInstance, pool: Pool, organisationId: string): void {
  const many = { schema: { response: { 200: { type: 'array', items: TIME_OFF_SCHEMA } } } };
  server.get<{ Querystring: { from: string; to: string } }>('/time-off', many, async ({ query: { from, to } }) => {
    const { rows } = await pool.query<object>({ name: 'window', text: SOME_TIME_OFF, values: [organisationId, from, to, 100] });
    return rows;
  });
}

function routeWrites(server: FastifyInstance, pool: Pool, sample: Sample): void {
  const write = async (request: FastifyRequest, stream: string): Promise<void> => {
    const connection = await pool.connect();
    try {
      await connection.query('begin');
      await connection.query({
        name: 'event',
        text: APPEND_EVENT,
        values: [stream, sample.eventId, sample.type, sample.data, sample.metadata],
      });
      await connection.query({
        name: 'receipt',
        text: APPEND_RECEIPT,
        values: [request.headers['idempotency-key'], sample.fingerprint, sample.answer],
      });
      await connection.query('commit');
    } finally {
      connection.release();
    }
  };
  server.patch<{ Params: { id: string }; Body: object }>('/people/:id', async (request, reply) => {
    await write(request, `person-${request.params.id}`);
    return reply.header('content-type', 'application/json; charset=utf-8').send(sample.answer);
  });
  server.post<{ Body: { person_id: string } }>('/time-off', async (request, reply) => {
    await write(request, `time-off-${request.body.person_id}`);
    return reply.status(201).header('content-type', 'application/json; charset=utf-8').send(sample.answer);
  });
}

answerParent({ start, processorSeconds }, () => stop());
